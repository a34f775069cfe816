// scan_logits: one pass over a row of logits that finds what the sampler needs before it looks at single tokens.
//
//   const LogitScan scan = scan_logits(row, &block_max);
//   if (!scan.valid) ...NaN or +infinity...
//   row[scan.best]      // the largest, lowest index among equals
//
// block_max[b] is the largest of row[b * kBlock, (b + 1) * kBlock): with it, a lower bound of the k-th largest logit
// costs a partial sort of 1/64 of the row. -infinity is a masked token and is valid.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tribar::engine {

inline constexpr size_t kLogitBlock = 64;

struct LogitScan {
  bool valid = false;  // no NaN, no +infinity, not empty
  int32_t best = 0;
};

LogitScan scan_logits(std::span<const float> row, std::vector<float>* block_max);

// A value that at least k entries of the row reach: the k-th largest of the block maxima; -infinity if there are fewer
// blocks. Reorders `block_max`.
float kth_largest_bound(std::vector<float>* block_max, int64_t k);

}  // namespace tribar::engine
