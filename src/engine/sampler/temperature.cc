#include <algorithm>

#include "engine/sampler/steps.h"

namespace tribar::engine {

void apply_temperature(const SamplingParams& params, Candidates* candidates) {
  std::vector<Candidate>& items = candidates->items();
  double largest = items.front().logit;
  for (const Candidate& c : items) largest = std::max(largest, c.logit);
  // Subtracting first keeps tiny temperatures from overflowing: the largest stays exactly 0.
  for (Candidate& c : items) c.logit = (c.logit - largest) / params.temperature;
}

}  // namespace tribar::engine
