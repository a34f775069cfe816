// How operators without sums across a row share the work: blocks of columns, so that one row still feeds every thread.
#pragma once

#include "base/thread_team.h"
#include "kernel/generic/vec-inl.h"

namespace tribar::kernel::TRIBAR_GENERIC {

// A multiple of every vector width: an element sits in the same lane whatever the split.
inline constexpr int64_t kBlockCols = 1024;

// Calls fn(row, begin, end) for this member's blocks.
template <typename Fn>
TRIBAR_INLINE void for_each_block(int64_t rows, int64_t cols, Shard shard, Fn fn) {
  const int64_t blocks = (cols + kBlockCols - 1) / kBlockCols;
  const auto [first, last] = shard.range(rows * blocks);
  for (int64_t unit = first; unit < last; ++unit) {
    const int64_t begin = unit % blocks * kBlockCols;
    fn(unit / blocks, begin, begin + kBlockCols < cols ? begin + kBlockCols : cols);
  }
}

// y[i] = fn(x[i]) over [begin, end), kLanes at a time; the tail runs through the same code.
template <typename Fn>
TRIBAR_INLINE void map(const float* x, float* y, int64_t begin, int64_t end, Fn fn) {
  int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes) store(y + i, fn(load(x + i)));
  if (i < end) store_partial(y + i, fn(load_partial(x + i, end - i)), end - i);
}

// y[i] = fn(a[i], b[i]).
template <typename Fn>
TRIBAR_INLINE void map(const float* a, const float* b, float* y, int64_t begin, int64_t end, Fn fn) {
  int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes) store(y + i, fn(load(a + i), load(b + i)));
  if (i < end) {
    const int64_t n = end - i;
    store_partial(y + i, fn(load_partial(a + i, n), load_partial(b + i, n)), n);
  }
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
