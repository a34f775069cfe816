// Sampler: chooses the next token of one sequence from its row of logits.
//
//   Sampler sampler(params, prompt_ids);                          // params are valid
//   TRIBAR_ASSIGN_OR_RETURN(int32_t token, sampler.sample(row));  // remembers the token for penalties and the seed
//
// The n-th token depends on the params, the row and the tokens before it, and on nothing else: not on threads, batch
// neighbours, chunking or time. Nothing sorts the vocabulary: a row of 262,144 logits costs about two passes over it
// when top_k or min_p is set or the temperature is 0, and one exponential a token otherwise.
// Errors: kDataLoss when a logit is NaN or +infinity, or all are -infinity: nothing is chosen.
// Threads: one caller.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "engine/sampler/candidates.h"
#include "engine/sampler/sampling_params.h"
#include "engine/sampler/token_history.h"

namespace tribar::engine {

class Sampler {
 public:
  Sampler(SamplingParams params, std::span<const int32_t> prompt_ids);

  Result<int32_t> sample(std::span<const float> logits);
  // Adds a token to the output without drawing it.
  void accept(int32_t token);

  // The exact distribution that `sample` draws from: weights to be divided by their sum, ids ascending; every id that
  // is missing has probability 0.
  Result<const Candidates*> distribution(std::span<const float> logits);

 private:
  Status collect(std::span<const float> logits);

  SamplingParams params_;
  TokenHistory history_;
  uint64_t output_tokens_ = 0;
  // Scratch, kept between calls.
  Candidates candidates_;
  std::vector<float> masked_;
  std::vector<float> block_max_;
};

}  // namespace tribar::engine
