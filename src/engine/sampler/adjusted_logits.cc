#include "engine/sampler/adjusted_logits.h"

#include <algorithm>

namespace tribar::engine {

std::vector<Candidate> AdjustedLogits::sorted() const {
  std::vector<Candidate> all;
  all.reserve(values_.size());
  for (const auto& [id, logit] : values_) all.push_back({id, logit, 0});
  std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) { return a.id < b.id; });
  return all;
}

}  // namespace tribar::engine
