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

template <typename V, typename Format, int N>
TRIBAR_INLINE void fill_act_group(const std::byte* const (&rows)[N], int64_t cols, int64_t g, ActGroup<N>* out) {
  constexpr int32_t kOffset = Format::kLevels != nullptr ? 128 : Format::kOffset;
  const int32_t* codes[N];
  for (int n = 0; n < N; ++n) codes[n] = reinterpret_cast<const int32_t*>(rows[n]) + 8 * g;
  if constexpr (N == V::kTransposedTokens) {
    V::transpose(codes, out->q);
  } else {
    for (int s = 0; s < 8; ++s) {
      for (int n = 0; n < N; ++n) out->q[s][n] = codes[n][s];
    }
  }
  for (int n = 0; n < N; ++n) {
    const float scale = reinterpret_cast<const float*>(rows[n] + act_q8::scale_offset_bytes(cols))[g];
    const auto* sums = reinterpret_cast<const int16_t*>(rows[n] + act_q8::sum_offset_bytes(cols)) + 2 * g;
    const int32_t first = Format::kHalves == 1 ? sums[0] + sums[1] : sums[0];
    const int32_t second = Format::kHalves == 1 ? 0 : sums[1];
    out->scale[n] = scale;
    out->scaled_sum[0][n] = scale * static_cast<float>(first);
    out->scaled_sum[1][n] = scale * static_cast<float>(second);
    out->bias[0][n] = -kOffset * first;
    out->bias[1][n] = -kOffset * second;
  }
}

// Rows [first, first + N) of x, a Q8Act view, as `groups` groups.
template <typename V, typename Format, int N>
void fill_act_tile(const TensorView& x, int64_t first, int64_t groups, ActGroup<N>* out) {
  const std::byte* rows[N];
  for (int n = 0; n < N; ++n) rows[n] = x.row<const std::byte>(first + n);
  for (int64_t g = 0; g < groups; ++g) fill_act_group<V, Format, N>(rows, x.cols, g, out + g);
}

}  // namespace tribar::kernel::panel
