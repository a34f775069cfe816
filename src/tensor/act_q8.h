// Q8Act: the activation row that integer dot products read. One row of `cols` values is stored as
//
//   int8  q[padded]            padded = cols rounded up to 64; the tail is zero
//   float scale[groups]        groups = padded / 32; x ≈ scale * q within a group of 32
//   int16 sum[padded / 16]     sum of q over each 16 values (offsets of unsigned weights and minima of K-quants)
//
// Wide rows share one scale among kWideGroup columns, counted from column 0, and store it for each group of 32 in it;
// so what reads groups of 32 reads them as well.
//
// scale = max|x| / 127 within a group, q = round-to-nearest-even(x / scale), both IEEE divisions. Two groups are
// special: below kSmallestPeak (zeros, and what would need a subnormal scale) scale and q are 0; with a NaN or infinity
// in it scale is the quiet NaN 0x7fc00000 and q is 0, so that the damage shows in every output instead of vanishing.
// One rounding scheme for every ISA and row count: a row's bytes depend on that row alone (row invariance).
#pragma once

#include <cstddef>
#include <cstdint>

namespace tribar::act_q8 {

inline constexpr int64_t kGroup = 32;
inline constexpr int64_t kWideGroup = 128;
inline constexpr int64_t kSumGroup = 16;
inline constexpr float kSmallestPeak = 0x1p-119f;

constexpr int64_t padded_cols(int64_t cols) { return (cols + 63) / 64 * 64; }
constexpr int64_t scale_offset_bytes(int64_t cols) { return padded_cols(cols); }
constexpr int64_t sum_offset_bytes(int64_t cols) {
  return scale_offset_bytes(cols) + padded_cols(cols) / kGroup * static_cast<int64_t>(sizeof(float));
}
// A multiple of 64, so that rows of a 64-byte aligned buffer stay aligned.
constexpr int64_t row_stride_bytes(int64_t cols) {
  return (sum_offset_bytes(cols) + padded_cols(cols) / kSumGroup * static_cast<int64_t>(sizeof(int16_t)) + 63) / 64 *
         64;
}

}  // namespace tribar::act_q8
