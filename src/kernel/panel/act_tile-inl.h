// A tile of N quantised activation rows, rearranged so that the dot products read one stream with constant offsets.
//
// Q8Act keeps each token's codes, scales and sums apart (tensor/act_q8.h); the kernel wants, for every 32 columns,
// the dwords of all tokens side by side. Rearranging costs a few percent of one panel's arithmetic and is done once
// a group of panels. Templates on V (the vector set) so that each instruction set has its own copy. Threads: the
// tile belongs to one thread.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernel/panel/unroll.h"
#include "tensor/act_q8.h"
#include "tensor/view.h"

namespace tribar::kernel::panel {

// 32 columns of N tokens.
template <int N>
struct ActGroup {
  int32_t q[8][N];         // [step][token]: 4 signed codes in a dword
  float scale[N];          // x = scale * code
  float scaled_sum[2][N];  // scale * sum of codes: of all 32 in [0] (kHalves == 1), or of 16 each
  int32_t bias[2][N];      // -kOffset * sum of codes, split likewise
};

// dst[s][n] = src[n][s] for 8 dwords of N tokens.
template <typename V, int N>
TRIBAR_INLINE void transpose_dwords(const int32_t* const (&src)[N], int32_t (*dst)[N]) {
  if constexpr (N == V::kTransposedTokens) {
    V::transpose(src, dst);
  } else {
    for (int s = 0; s < 8; ++s) {
      for (int n = 0; n < N; ++n) dst[s][n] = src[n][s];
    }
  }
}

// The scales, and the pairs of 16-bit sums as dwords, of one group.
template <typename Format, int N>
TRIBAR_INLINE void fill_sums(const int32_t (&scale_bits)[N], const int32_t (&sums)[N], ActGroup<N>* out) {
  constexpr int32_t kOffset = Format::kHasLevels ? 128 : Format::kOffset;
  std::memcpy(out->scale, scale_bits, sizeof out->scale);
  for (int n = 0; n < N; ++n) {
    const int32_t low = static_cast<int32_t>(static_cast<uint32_t>(sums[n]) << 16) >> 16;
    const int32_t high = sums[n] >> 16;
    const int32_t first = Format::kHalves == 1 ? low + high : low;
    out->scaled_sum[0][n] = out->scale[n] * static_cast<float>(first);
    out->bias[0][n] = -kOffset * first;
    if constexpr (Format::kHalves == 2) {
      out->scaled_sum[1][n] = out->scale[n] * static_cast<float>(high);
      out->bias[1][n] = -kOffset * high;
    }
  }
}

// Groups [begin, begin + count) of rows [first, first + N) of x, a Q8Act view.
template <typename V, typename Format, int N>
void fill_act_tile(const TensorView& x, int64_t first, int64_t begin, int64_t count, ActGroup<N>* out) {
  const int32_t* codes[N];
  const int32_t* scales[N];
  const int32_t* sums[N];
  for (int n = 0; n < N; ++n) {
    const auto* row = x.row<const std::byte>(first + n);
    codes[n] = reinterpret_cast<const int32_t*>(row) + 8 * begin;
    scales[n] = reinterpret_cast<const int32_t*>(row + act_q8::scale_offset_bytes(x.cols)) + begin;
    sums[n] = reinterpret_cast<const int32_t*>(row + act_q8::sum_offset_bytes(x.cols)) + begin;
  }
  for (int64_t g = 0; g < count;) {
    int32_t scale_bits[8][N];
    int32_t sum_pairs[8][N];
    const int64_t some = count - g < 8 ? count - g : 8;
    if (some == 8) {
      transpose_dwords<V, N>(scales, scale_bits);
      transpose_dwords<V, N>(sums, sum_pairs);
    } else {
      for (int64_t i = 0; i < some; ++i) {
        for (int n = 0; n < N; ++n) {
          scale_bits[i][n] = scales[n][i];
          sum_pairs[i][n] = sums[n][i];
        }
      }
    }
    for (int64_t i = 0; i < some; ++i, ++g, ++out) {
      transpose_dwords<V, N>(codes, out->q);
      fill_sums<Format, N>(scale_bits[i], sum_pairs[i], out);
      for (int n = 0; n < N; ++n) codes[n] += 8;
    }
    for (int n = 0; n < N; ++n) {
      scales[n] += some;
      sums[n] += some;
    }
  }
}

}  // namespace tribar::kernel::panel
