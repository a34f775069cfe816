// AdjustedLogits: the few logits of a row that logit bias or a penalty changes, beside the many that stay as they are.
//
//   AdjustedLogits adjusted(row);
//   adjusted.at(17) -= 1.5;       // starts from row[17]
//   adjusted.sorted()             // {17, row[17] - 1.5}
//
// A row has up to 262,144 entries while a request touches hundreds: nothing here costs more than what it touches.
// Threads: one caller. `row` must outlive it.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/sampler/candidates.h"

namespace tribar::engine {

class AdjustedLogits {
 public:
  explicit AdjustedLogits(std::span<const float> row) : row_(row) {}

  // The adjusted logit of `id`, which is inside the row.
  double& at(int32_t id) {
    return values_.try_emplace(id, static_cast<double>(row_[static_cast<size_t>(id)])).first->second;
  }
  bool empty() const { return values_.empty(); }
  // All adjusted logits by ascending id.
  std::vector<Candidate> sorted() const;

 private:
  std::span<const float> row_;
  std::unordered_map<int32_t, double> values_;
};

}  // namespace tribar::engine
