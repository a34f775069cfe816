#include "engine/sampler/ranked_prefix.h"
#include "engine/sampler/steps.h"

namespace tribar::engine {

void apply_top_p(const SamplingParams& params, Candidates* candidates) {
  if (params.top_p >= 1) return;
  candidates->weigh();
  std::vector<Ranked> ranking;
  ranking.reserve(candidates->size());
  for (const Candidate& c : candidates->items()) ranking.push_back({-c.logit, c.id, c.weight});
  const Ranked last = ranked_prefix(&ranking, params.top_p * candidates->total_weight());
  std::erase_if(candidates->items(), [&](const Candidate& c) { return last < Ranked{-c.logit, c.id, 0}; });
}

}  // namespace tribar::engine
