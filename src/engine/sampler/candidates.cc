#include "engine/sampler/candidates.h"

#include <cmath>

namespace tribar::engine {

void Candidates::clear() {
  items_.clear();
  weighed_ = false;
}

void Candidates::weigh() {
  if (weighed_) return;
  for (Candidate& c : items_) c.weight = std::exp(c.logit);
  weighed_ = true;
}

double Candidates::total_weight() const {
  double sum = 0;
  for (const Candidate& c : items_) sum += c.weight;
  return sum;
}

}  // namespace tribar::engine
