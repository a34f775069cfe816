// SamplingParams: how the next token is chosen. The defaults leave the model's distribution as it is.
//
//   SamplingParams p; p.temperature = 0.7; p.top_k = 40; p.seed = 7;
//   if (Status s = validate(p, vocab_size); !s.ok()) return s;
//
// Order and definitions are vLLM V1's: logit bias, penalties, temperature, min_p, top_k, top_p, typical_p; each filter
// works on the renormalised result of the one before.
// Errors: validate is kInvalidArgument and names the field, its value and the range.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/status.h"

namespace tribar::engine {

struct SamplingParams {
  double temperature = 1.0;         // >= 0; 0 takes the most probable token, the lowest id among equals
  int64_t top_k = 0;                // keep the k most probable and all equal to the last; <= 0: off
  double top_p = 1.0;               // (0, 1]: keep the most probable until their sum reaches it; 1: off
  double min_p = 0.0;               // [0, 1]: keep what is at least this share of the most probable; 0: off
  double typical_p = 1.0;           // (0, 1]: keep the most typical until their sum reaches it; 1: off
  double repetition_penalty = 1.0;  // > 0: for every token of prompt and output
  double presence_penalty = 0.0;    // [-2, 2]: for every token of the output
  double frequency_penalty = 0.0;   // [-2, 2]: times its count in the output
  std::vector<std::pair<int32_t, double>> logit_bias = {};  // (token, added to its logit), [-100, 100]
  uint64_t seed = 0;                                        // the same seed draws the same tokens

  bool greedy() const { return temperature == 0.0; }
  bool penalises() const { return repetition_penalty != 1.0 || presence_penalty != 0.0 || frequency_penalty != 0.0; }
};

Status validate(const SamplingParams& params, int64_t vocab_size);

}  // namespace tribar::engine
