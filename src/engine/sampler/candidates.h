// Candidates: the tokens that may still be chosen, with their logits. The filters drop some, in place.
//
// Invariants: ids ascend, so that drawing does not depend on how a filter found its threshold; logits are divided by
// the temperature and shifted so that the largest is 0; there is at least one candidate. `weight` is exp(logit), made
// once by the first filter that needs it: dropping candidates changes the sum of the weights, not the weights.
// Threads: a value, no shared state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tribar::engine {

struct Candidate {
  int32_t id = 0;
  double logit = 0;
  double weight = 0;
};

class Candidates {
 public:
  std::vector<Candidate>& items() { return items_; }
  const std::vector<Candidate>& items() const { return items_; }
  size_t size() const { return items_.size(); }

  void clear();
  // Fills `weight` if that has not happened since clear().
  void weigh();
  // Sum of the weights, in order of id. Call weigh() before.
  double total_weight() const;

 private:
  std::vector<Candidate> items_;
  bool weighed_ = false;
};

}  // namespace tribar::engine
