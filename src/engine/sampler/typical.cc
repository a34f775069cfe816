#include <cmath>

#include "engine/sampler/ranked_prefix.h"
#include "engine/sampler/steps.h"

namespace tribar::engine {

void apply_typical(const SamplingParams& params, Candidates* candidates) {
  if (params.typical_p >= 1) return;
  candidates->weigh();
  const double total = candidates->total_weight();
  const double log_total = std::log(total);
  // Entropy H of the candidates, and for each how far its surprise -log q is from it.
  double entropy = 0;
  for (const Candidate& c : candidates->items()) {
    if (c.weight > 0) entropy += c.weight / total * (log_total - c.logit);
  }
  const auto distance = [&](const Candidate& c) { return std::fabs(log_total - c.logit - entropy); };

  std::vector<Ranked> ranking;
  ranking.reserve(candidates->size());
  for (const Candidate& c : candidates->items()) ranking.push_back({distance(c), c.id, c.weight});
  const double farthest = ranked_prefix(&ranking, params.typical_p * total).rank;
  // By distance alone: all that tie with the last one stay.
  std::erase_if(candidates->items(), [&](const Candidate& c) { return distance(c) > farthest; });
}

}  // namespace tribar::engine
