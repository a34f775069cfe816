// The steps of sampling, one source file each. sampler.cc puts them in order.
//
// The first two change logits, the rest work on candidates. A step whose parameter is off does nothing. Filters keep
// the order of the candidates and leave at least one.
// Definitions: cases/sampling/README.md (vLLM V1); typical: Meister et al., "Locally Typical Sampling", 2022.
#pragma once

#include "engine/sampler/adjusted_logits.h"
#include "engine/sampler/candidates.h"
#include "engine/sampler/sampling_params.h"
#include "engine/sampler/token_history.h"

namespace tribar::engine {

void apply_logit_bias(const SamplingParams& params, AdjustedLogits* logits);
void apply_penalties(const SamplingParams& params, const TokenHistory& history, AdjustedLogits* logits);

// Divides by the temperature (> 0) and makes the largest logit 0.
void apply_temperature(const SamplingParams& params, Candidates* candidates);
void apply_min_p(const SamplingParams& params, Candidates* candidates);
void apply_top_k(const SamplingParams& params, Candidates* candidates);
void apply_top_p(const SamplingParams& params, Candidates* candidates);
void apply_typical(const SamplingParams& params, Candidates* candidates);

}  // namespace tribar::engine
