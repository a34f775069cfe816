// The sampling options that `run` and `chat` share.
//
//   add_sampling_options(parser, &options);                // -n --temperature --top-k ... --stop --seed
//   TRIBAR_ASSIGN_OR_RETURN(SamplingParams p, sampling_params(options));
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/sampler/sampling_params.h"

namespace tribar::app {

struct SamplingOptions {
  // What suits small models in a conversation; every one can be set.
  engine::SamplingParams params{.temperature = 0.7, .top_k = 40, .top_p = 0.95, .min_p = 0.05};
  std::optional<uint64_t> seed;         // absent: another one each time
  std::vector<std::string> logit_bias;  // "17=-2.5"
  std::vector<std::string> stops;
  int64_t max_tokens = 512;
};

void add_sampling_options(CLI::App* parser, SamplingOptions* options);

// With a seed chosen if there was none. Errors: kInvalidArgument for a malformed bias or a value out of range.
Result<engine::SamplingParams> sampling_params(const SamplingOptions& options);

}  // namespace tribar::app
