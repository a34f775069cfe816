// Sums along a row: four vectors of partial sums in column order, then one tree. A row's sum depends on the row alone.
#pragma once

#include "kernel/generic/vec-inl.h"

namespace tribar::kernel::TRIBAR_GENERIC {

// fn(v, sum) adds what v contributes to sum; for a tail, lanes past the end are 0 and must contribute nothing.
template <typename Fn>
TRIBAR_INLINE float sum_of(const float* x, int64_t n, Fn fn) {
  F32 sums[4] = {};
  int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    for (int64_t j = 0; j < 4; ++j) sums[j] = fn(load(x + i + j * kLanes), sums[j]);
  }
  for (; i + kLanes <= n; i += kLanes) sums[0] = fn(load(x + i), sums[0]);
  if (i < n) sums[1] = fn(load_partial(x + i, n - i), sums[1]);
  return sum_lanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
