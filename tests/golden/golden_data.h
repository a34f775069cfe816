// The reference results of one tiny model: golden.json.
//
//   std::optional<std::string> file = golden_path("llama", "golden.json");
//   TRIBAR_ASSIGN_OR_RETURN(GoldenData data, read_golden(*file));
//
// Files come from tests/data/models where they are committed, otherwise from $TRIBAR_CASES/models (../shared/cases
// beside the project by default), which holds all families; tests skip what is in neither place.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace tribar::golden {

// Folders with goldens that this version of Tribar must agree with, and those that $TRIBAR_GOLDENS adds ("a,b").
const std::vector<std::string>& golden_families();

std::optional<std::string> golden_path(const std::string& family, const std::string& file);

struct GoldenCase {
  std::string name;
  std::vector<int32_t> ids;
  std::vector<double> last_logits;  // fp64, last position
  std::vector<std::vector<int32_t>> top5_ids;
  std::vector<std::vector<double>> top5;
  std::vector<int32_t> greedy;
  double logits_rms = 0;
};

struct GoldenTap {
  std::string name;
  double mean = 0;
  double rms = 0;
  std::vector<double> first4;  // of the last position
};

struct GoldenData {
  std::vector<GoldenCase> cases;
  std::string taps_case;
  std::vector<GoldenTap> taps;
  // What is left out -> max |logit change| / rms over all positions of the longest case.
  std::map<std::string, double> sensitivity;
  // GGUF tensor -> checkpoint tensor it is made of, layer numbers replaced by N.
  std::map<std::string, std::string> gguf_from;

  const GoldenCase& longest() const;
  const GoldenCase* find(const std::string& name) const;
};

Result<GoldenData> read_golden(const std::string& path);

}  // namespace tribar::golden
