// A tile of N quantised activation rows, rearranged so that the dot products read one stream with constant offsets.
//
// Q8Act keeps each token's codes, scales and sums apart (tensor/act_q8.h); the kernel wants, for every 32 columns,
// the dwords of all tokens side by side. Rearranging costs a few percent of one panel's arithmetic and is done once
// a group of panels. A tile holds what its format reads and nothing else, so that 2048 columns stay in the first-level
// cache. `wide` tiles are of rows with one scale for 128 columns. Templates on V (the vector set) so that each
// instruction set has its own copy. Threads: the tile belongs to one thread.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernel/panel/unpack-inl.h"
#include "kernel/panel/unroll.h"
#include "tensor/act_q8.h"
#include "tensor/view.h"

namespace tribar::kernel::panel {

inline constexpr int kGroupsPerWide = act_q8::kWideGroup / act_q8::kGroup;

template <int halves, int N>
struct ActBias {
  int32_t bias[halves][N];  // -offset * sum of codes: of all 32 in [0], or of 16 each
};
template <int N>
struct ActBias<0, N> {};

template <int halves, int N>
struct ActSums {
  float sum[halves][N];  // of the codes, split likewise; times the scale unless the tile is wide
};
template <int N>
struct ActSums<0, N> {};

template <bool present, int N>
struct ActScales {
  float scale[N];  // x = scale * code
};
template <int N>
struct ActScales<false, N> {};

template <bool present, int N>
struct ActSumPairs {
  int32_t sum_pair[kGroupsPerWide / 2][N];  // sums of the codes of two groups, 16 bits each
};
template <int N>
struct ActSumPairs<false, N> {};

// 32 columns of N tokens.
template <typename Format, int N, bool wide>
struct ActGroup : ActBias<kCodeOffset<Format> != 0 ? Format::kHalves : 0, N>,
                  ActSums<kHasMins<Format> && !(wide && kHasPairedMins<Format>) ? Format::kHalves : 0, N>,
                  ActScales<!wide, N> {
  static constexpr bool kBias = kCodeOffset<Format> != 0;
  static constexpr bool kSums = kHasMins<Format> && !(wide && kHasPairedMins<Format>);
  int32_t q[8][N];  // [step][token]: 4 signed codes in a dword
};

// What 128 columns of N tokens of a wide tile share.
template <typename Format, int N>
struct ActWide : ActScales<true, N>, ActSumPairs<kHasPairedMins<Format>, N> {};

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

// Rows [first, first + N) of a Q8Act view, from group `begin` on.
template <typename V, int N>
struct ActRows {
  const int32_t* codes[N];
  const int32_t* scales[N];
  const int32_t* sums[N];

  ActRows(const TensorView& x, int64_t first, int64_t begin) {
    for (int n = 0; n < N; ++n) {
      const auto* row = x.row<const std::byte>(first + n);
      codes[n] = reinterpret_cast<const int32_t*>(row) + 8 * begin;
      scales[n] = reinterpret_cast<const int32_t*>(row + act_q8::scale_offset_bytes(x.cols)) + begin;
      sums[n] = reinterpret_cast<const int32_t*>(row + act_q8::sum_offset_bytes(x.cols)) + begin;
    }
  }

  // dst[i][n] = src[n][i] for `count` <= 8 groups; zeros up to 8.
  static void transpose_some(const int32_t* const (&src)[N], int64_t count, int32_t (&dst)[8][N]) {
    if (count == 8) return transpose_dwords<V, N>(src, dst);
    std::memset(dst, 0, sizeof dst);
    for (int64_t i = 0; i < count; ++i) {
      for (int n = 0; n < N; ++n) dst[i][n] = src[n][i];
    }
  }
  void next_codes(int32_t (*dst)[N]) {
    transpose_dwords<V, N>(codes, dst);
    for (int n = 0; n < N; ++n) codes[n] += 8;
  }
  void skip_groups(int64_t count) {
    for (int n = 0; n < N; ++n) {
      scales[n] += count;
      sums[n] += count;
    }
  }
};

// The sums of one group, 16 bits each in a dword, in the forms that the format reads.
template <typename Format, int N, bool wide>
TRIBAR_INLINE void fill_sums(const int32_t (&scale_bits)[N], const int32_t (&sums)[N], ActGroup<Format, N, wide>* out) {
  using Group = ActGroup<Format, N, wide>;
  for (int n = 0; n < N; ++n) {
    const int32_t low = static_cast<int32_t>(static_cast<uint32_t>(sums[n]) << 16) >> 16;
    const int32_t high = sums[n] >> 16;
    const int32_t parts[2] = {Format::kHalves == 1 ? low + high : low, high};
    float scale;
    std::memcpy(&scale, &scale_bits[n], sizeof scale);
    if constexpr (!wide) out->scale[n] = scale;
    for (int half = 0; half < Format::kHalves; ++half) {
      if constexpr (Group::kBias) out->bias[half][n] = -kCodeOffset<Format> * parts[half];
      if constexpr (Group::kSums) {
        const auto sum = static_cast<float>(parts[half]);
        out->sum[half][n] = wide ? sum : scale * sum;
      }
    }
  }
}

template <typename Format, int N>
TRIBAR_INLINE void fill_wide(const int32_t (*scale_bits)[N], const int32_t (*sums)[N], ActWide<Format, N>* out) {
  std::memcpy(out->scale, scale_bits[0], sizeof out->scale);
  if constexpr (kHasPairedMins<Format>) {
    // Both halves of a dword added, in its low 16 bits: a sum of 32 codes is at most 4064.
    const auto whole = [&](int g, int n) {
      const auto pair = static_cast<uint32_t>(sums[g][n]);
      return (pair + (pair >> 16)) & 0xffff;
    };
    for (int p = 0; p < kGroupsPerWide / 2; ++p) {
      for (int n = 0; n < N; ++n) {
        out->sum_pair[p][n] = static_cast<int32_t>(whole(2 * p, n) | whole(2 * p + 1, n) << 16);
      }
    }
  }
}

// Groups [begin, begin + count) of rows [first, first + N) of x, a Q8Act view. `wides`: only of wide tiles, which
// begin at a multiple of kGroupsPerWide groups.
template <typename V, typename Format, int N, bool wide>
void fill_act_tile(const TensorView& x, int64_t first, int64_t begin, int64_t count, ActGroup<Format, N, wide>* out,
                   ActWide<Format, N>* wides) {
  ActRows<V, N> rows(x, first, begin);
  for (int64_t g = 0; g < count; g += 8) {
    int32_t scale_bits[8][N];
    int32_t sums[8][N];
    const int64_t some = count - g < 8 ? count - g : 8;
    rows.transpose_some(rows.scales, some, scale_bits);
    rows.transpose_some(rows.sums, some, sums);
    rows.skip_groups(some);
    for (int64_t i = 0; wide && i < some; i += kGroupsPerWide) {
      fill_wide<Format, N>(scale_bits + i, sums + i, wides++);
    }
    for (int64_t i = 0; i < some; ++i, ++out) {
      rows.next_codes(out->q);
      fill_sums<Format, N, wide>(scale_bits[i], sums[i], out);
    }
  }
}

}  // namespace tribar::kernel::panel
