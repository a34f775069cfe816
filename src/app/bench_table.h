// What `tribar bench` measured and how it is written: in llama-bench's columns and JSON names, so that the two can be
// compared by a script. What llama-bench has not, how near a result is to what the machine can do, stands behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/activation_groups.h"
#include "runtime/op_profile.h"

namespace tribar::app {

struct BenchModel {
  std::string file;  // as given
  std::string type;  // "llama 135M Q4_1"
  uint64_t size_bytes = 0;
  int64_t parameters = 0;
  std::string backend;  // "CPU avx512"
  std::string cpu;
  std::string kv_type;
  std::vector<runtime::ActivationGroup> activation_groups;
  int64_t prefetch_bytes = 0;
};

// What the machine can do at most with the threads of a test, and what a token costs.
struct BenchCeilings {
  double stream_gbps = 0;         // reading memory, best
  double stream_median_gbps = 0;  // the same, median
  std::string int8_name;          // "avx512_vnni": the vector instruction of the level in use; "" if not measured
  double int8_gops = 0;
  double amx_gops = 0;  // 0: no tiles
  int64_t weight_bytes = 0;
  int64_t macs_per_token = 0;
  int64_t macs_per_logit_row = 0;
};

// Percent; nullopt where it makes no sense or nothing was measured.
struct BenchShares {
  std::optional<double> stream;  // decode: weight bytes a token x tokens a second
  std::optional<double> int8;    // prefill: two operations a multiply-add of the linear layers
  std::optional<double> amx;
};

// One line of the table: a test repeated several times.
struct BenchResult {
  int threads = 0;
  int64_t n_prompt = 0;  // 0: no prefill measured
  int64_t n_gen = 0;     // 0: prefill only
  int64_t n_depth = 0;   // tokens in the cache before
  int64_t chunk = 0;
  std::string time;  // UTC, ISO 8601, when it began
  std::vector<double> samples_us;
  std::optional<BenchCeilings> ceilings = std::nullopt;      // nullopt: --no-peaks
  std::optional<runtime::OpProfile> profile = std::nullopt;  // --by-op

  BenchShares shares() const;
  std::vector<double> samples_tokens_per_second() const;
};

struct MeanAndDeviation {
  double mean = 0;
  double deviation = 0;  // of the sample (n - 1); 0 for one
};
MeanAndDeviation mean_and_deviation(const std::vector<double>& samples);

// "pp512", "tg128", "pp512+tg128", "tg128 @ d1024".
std::string test_name(const BenchResult& result);

std::string bench_markdown(const BenchModel& model, const std::vector<BenchResult>& results);
std::string bench_json(const BenchModel& model, const std::vector<BenchResult>& results);
std::string bench_csv(const BenchModel& model, const std::vector<BenchResult>& results);

}  // namespace tribar::app
