// Sixteen rows of 32-bit words to panel order: word k of all sixteen rows side by side.
#pragma once

#include "kernel/generic/vec-inl.h"

namespace tribar::kernel::TRIBAR_GENERIC {

inline constexpr int64_t kPanelRows = 16;

// Swaps the off-diagonal squares of side `width` of the matrix whose rows are `rows`.
#if defined(__AVX512F__)
#define TRIBAR_LANES(f) \
  f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8), f(9), f(10), f(11), f(12), f(13), f(14), f(15)
#elif defined(__AVX2__)
#define TRIBAR_LANES(f) f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)
#else
#define TRIBAR_LANES(f) f(0), f(1), f(2), f(3)
#endif

template <int kWidth>
TRIBAR_INLINE void swap_squares(I32 (&rows)[kLanes]) {
  constexpr int kN = kLanes;
#define TRIBAR_UPPER(j) (((j) & kWidth) == 0 ? (j) : kN + (j) - kWidth)
#define TRIBAR_LOWER(j) (((j) & kWidth) == 0 ? (j) + kWidth : kN + (j))
#pragma GCC unroll 16
  for (int i = 0; i < kN; ++i) {
    if ((i & kWidth) != 0) continue;
    const I32 a = rows[i];
    const I32 b = rows[i + kWidth];
    rows[i] = __builtin_shufflevector(a, b, TRIBAR_LANES(TRIBAR_UPPER));
    rows[i + kWidth] = __builtin_shufflevector(a, b, TRIBAR_LANES(TRIBAR_LOWER));
  }
#undef TRIBAR_UPPER
#undef TRIBAR_LOWER
}
#undef TRIBAR_LANES

// dst[k][r] = src[r][k] for a square of kLanes words a side.
TRIBAR_INLINE void transpose_square(const int32_t* src, int64_t src_stride, int32_t* dst, int64_t dst_stride) {
  I32 rows[kLanes];
#pragma GCC unroll 16
  for (int64_t r = 0; r < kLanes; ++r) rows[r] = load(src + r * src_stride);
  swap_squares<1>(rows);
  swap_squares<2>(rows);
  if constexpr (kLanes > 4) swap_squares<4>(rows);
  if constexpr (kLanes > 8) swap_squares<8>(rows);
#pragma GCC unroll 16
  for (int64_t r = 0; r < kLanes; ++r) store(dst + r * dst_stride, rows[r]);
}

// panel[k * 16 + r] = rows[r * stride + k] for k < depth rounded up to kLanes (rows have room for it).
TRIBAR_INLINE void transpose_panel(const int32_t* rows, int64_t stride, int64_t depth, int32_t* panel) {
  for (int64_t k = 0; k < depth; k += kLanes) {
    for (int64_t r = 0; r < kPanelRows; r += kLanes) {
      transpose_square(rows + r * stride + k, stride, panel + k * kPanelRows + r, kPanelRows);
    }
  }
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
