#include <cmath>

#include "engine/sampler/steps.h"

namespace tribar::engine {

void apply_min_p(const SamplingParams& params, Candidates* candidates) {
  if (params.min_p <= 0) return;
  // The largest logit is 0, so p / p_max = exp(logit).
  const double lowest = std::log(params.min_p);
  std::erase_if(candidates->items(), [lowest](const Candidate& c) { return c.logit < lowest; });
}

}  // namespace tribar::engine
