#include <algorithm>
#include <functional>

#include "engine/sampler/steps.h"

namespace tribar::engine {

void apply_top_k(const SamplingParams& params, Candidates* candidates) {
  std::vector<Candidate>& items = candidates->items();
  if (params.top_k <= 0 || params.top_k >= static_cast<int64_t>(items.size())) return;
  std::vector<double> logits;
  logits.reserve(items.size());
  for (const Candidate& c : items) logits.push_back(c.logit);
  const auto kth = logits.begin() + (params.top_k - 1);
  std::nth_element(logits.begin(), kth, logits.end(), std::greater<>());
  const double lowest = *kth;
  std::erase_if(items, [lowest](const Candidate& c) { return c.logit < lowest; });
}

}  // namespace tribar::engine
