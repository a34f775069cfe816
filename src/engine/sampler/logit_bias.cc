#include "engine/sampler/steps.h"

namespace tribar::engine {

void apply_logit_bias(const SamplingParams& params, AdjustedLogits* logits) {
  for (const auto& [id, bias] : params.logit_bias) logits->at(id) += bias;
}

}  // namespace tribar::engine
