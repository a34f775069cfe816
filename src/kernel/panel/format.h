// Packed weights of integer dot products: panels of R rows, lossless rearrangements of the file's blocks.
//
//   PanelBlock<Q4_K, 16>* panel;   // one for every 256 columns of 16 rows: exactly what 16 row-major blocks held
//
// The codes of 32 columns lie in bit planes of whole vectors, so that one vector load brings R rows × 4 columns (one
// dword a row, the operand of vpdpbusd) without shuffles. Column 4s + i of row r, "step" s in 0..7, is found at byte
// 4r + i:
//   4-bit low plane: nibble s % 2 of vector s / 2      2-bit planes: bits 2(s % 4).. of vector s / 4
//   1-bit high plane: bit s of the one vector          8-bit low plane: vector s
// A panel is one sequential stream: scales, low plane, high plane, next block. Sizes: Q4_0 36 bytes a row and 64
// columns as in the file, Q4_K 148 a row and 256 (file 144), Q6_K 212 (210). Rows past the end are zero; so are
// columns past the end. A format's codes8(block, i) yields the codes of values 8i..8i+7 of a file block, one a byte,
// as value = code - kOffset. Threads: plain data.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernel/panel/scales.h"
#include "tensor/quant/iq4_nl.h"
#include "tensor/quant/iq4_xs.h"
#include "tensor/quant/mxfp4.h"
#include "tensor/quant/q2_k.h"
#include "tensor/quant/q3_k.h"
#include "tensor/quant/q4_0.h"
#include "tensor/quant/q4_1.h"
#include "tensor/quant/q4_k.h"
#include "tensor/quant/q5_0.h"
#include "tensor/quant/q5_1.h"
#include "tensor/quant/q5_k.h"
#include "tensor/quant/q6_k.h"
#include "tensor/quant/q8_0.h"

namespace tribar::kernel::panel {

inline constexpr uint64_t kEveryByte = 0x0101010101010101;
inline constexpr int kStepsPerGroup = 8;  // of 4 columns

inline uint64_t load8(const void* bytes) {
  uint64_t out;
  std::memcpy(&out, bytes, sizeof out);
  return out;
}
// Bit i of `bits` becomes byte i, 0 or 1.
inline uint64_t spread_bits(uint8_t bits) {
  const uint64_t picked = (bits * kEveryByte) & 0x8040201008040201;
  return ((picked + 0x7f * kEveryByte) >> 7) & kEveryByte;
}
// Values 8i..8i+7 of the nibble order that all 32-value formats share: j low, j + 16 high.
inline uint64_t nibbles8(const uint8_t* qs, int i) {
  return (load8(qs + 8 * (i % 2)) >> (4 * (i / 2))) & 0x0f * kEveryByte;
}
// Values 8i..8i+7 of Q4_K and Q5_K: pairs of groups of 32 share bytes.
inline uint64_t k_nibbles8(const uint8_t* qs, int i) {
  return (load8(qs + 32 * (i / 8) + 8 * (i % 4)) >> (4 * (i / 4 % 2))) & 0x0f * kEveryByte;
}
// Values 8i..8i+7 of Q2_K and Q3_K: four groups of 32 share bytes.
inline uint64_t k_crumbs8(const uint8_t* qs, int i) {
  return (load8(qs + 32 * (i / 16) + 8 * (i % 4)) >> (2 * (i / 4 % 4))) & 0x03 * kEveryByte;
}

// What a format is made of; its struct below inherits the numbers.
template <typename SourceBlock, int low_bits, int high_bits, int offset, bool half_groups = false>
struct FormatOf {
  using Source = SourceBlock;
  static constexpr int kLowBits = low_bits;
  static constexpr int kHighBits = high_bits;
  static constexpr int kOffset = offset;
  static constexpr int kHalves = half_groups ? 2 : 1;  // scales a group of 32
  static constexpr int kMaxCode = (1 << (low_bits + high_bits)) - 1;
  static constexpr int kGroups = Source::kElements == 256 ? 8 : 2;  // of 32 columns, in one panel block
  static constexpr int kParts = Source::kElements == 256 ? 1 : 2;   // file blocks of a row in one panel block
  static constexpr bool kHasLevels = false;                         // a code book: value = kLevels[code]
  static constexpr const int8_t* kLevels = nullptr;
};

struct Q4_0 : FormatOf<quant::BlockQ4_0, 4, 0, 8> {
  template <int R>
  using Scales = HalfScales<R>;
  static uint64_t codes8(const Source& b, int i) { return nibbles8(b.qs, i); }
};
struct Q4_1 : FormatOf<quant::BlockQ4_1, 4, 0, 0> {
  template <int R>
  using Scales = HalfScalesMins<R>;
  static uint64_t codes8(const Source& b, int i) { return nibbles8(b.qs, i); }
};
struct Q5_0 : FormatOf<quant::BlockQ5_0, 4, 1, 16> {
  template <int R>
  using Scales = HalfScales<R>;
  static uint64_t codes8(const Source& b, int i) { return nibbles8(b.qs, i) | spread_bits(b.qh[i]) << 4; }
};
struct Q5_1 : FormatOf<quant::BlockQ5_1, 4, 1, 0> {
  template <int R>
  using Scales = HalfScalesMins<R>;
  static uint64_t codes8(const Source& b, int i) { return nibbles8(b.qs, i) | spread_bits(b.qh[i]) << 4; }
};
struct Q8_0 : FormatOf<quant::BlockQ8_0, 8, 0, 128> {
  template <int R>
  using Scales = HalfScales<R>;
  static uint64_t codes8(const Source& b, int i) { return load8(b.qs + 8 * i) ^ 0x80 * kEveryByte; }
};
struct Q2_K : FormatOf<quant::BlockQ2_K, 2, 0, 0, true> {
  template <int R>
  using Scales = KNibbleScalesMins<R>;
  static uint64_t codes8(const Source& b, int i) { return k_crumbs8(b.qs, i); }
};
struct Q3_K : FormatOf<quant::BlockQ3_K, 2, 1, 4, true> {
  template <int R>
  using Scales = KSignedScales<R, 16>;
  static uint64_t codes8(const Source& b, int i) {
    return k_crumbs8(b.qs, i) | ((load8(b.hmask + 8 * (i % 4)) >> (i / 4)) & kEveryByte) << 2;
  }
};
struct Q4_K : FormatOf<quant::BlockQ4_K, 4, 0, 0> {
  template <int R>
  using Scales = KScalesMins<R>;
  static uint64_t codes8(const Source& b, int i) { return k_nibbles8(b.qs, i); }
};
struct Q5_K : FormatOf<quant::BlockQ5_K, 4, 1, 0> {
  template <int R>
  using Scales = KScalesMins<R>;
  static uint64_t codes8(const Source& b, int i) {
    return k_nibbles8(b.qs, i) | ((load8(b.qh + 8 * (i % 4)) >> (i / 4)) & kEveryByte) << 4;
  }
};
struct Q6_K : FormatOf<quant::BlockQ6_K, 4, 2, 32, true> {
  template <int R>
  using Scales = KSignedScales<R, 16>;
  static uint64_t codes8(const Source& b, int i) {
    const uint64_t low = load8(b.ql + 64 * (i / 16) + 8 * (i % 8)) >> (4 * (i / 8 % 2));
    const uint64_t high = load8(b.qh + 32 * (i / 16) + 8 * (i % 4)) >> (2 * (i / 4 % 4));
    return (low & 0x0f * kEveryByte) | (high & 0x03 * kEveryByte) << 4;
  }
};
struct IQ4_NL : FormatOf<quant::BlockIQ4_NL, 4, 0, 0> {
  static constexpr bool kHasLevels = true;
  static constexpr const int8_t* kLevels = quant::kIq4Levels.data();
  template <int R>
  using Scales = HalfScales<R>;
  static uint64_t codes8(const Source& b, int i) { return nibbles8(b.qs, i); }
};
struct IQ4_XS : FormatOf<quant::BlockIQ4_XS, 4, 0, 0> {
  static constexpr bool kHasLevels = true;
  static constexpr const int8_t* kLevels = quant::kIq4Levels.data();
  template <int R>
  using Scales = KSignedScales<R, 8>;
  static uint64_t codes8(const Source& b, int i) { return nibbles8(b.qs + 16 * (i / 4), i % 4); }
};
struct MXFP4 : FormatOf<quant::BlockMXFP4, 4, 0, 0> {
  static constexpr bool kHasLevels = true;
  static constexpr const int8_t* kLevels = quant::kFp4DoubledLevels.data();
  template <int R>
  using Scales = PowerScales<R>;
  static uint64_t codes8(const Source& b, int i) { return nibbles8(b.qs, i); }
};

// kGroups * 32 columns of R rows.
template <typename Format, int R>
struct PanelBlock {
  static constexpr int kVectorBytes = 4 * R;
  typename Format::template Scales<R> scales;
  uint8_t low[Format::kGroups][Format::kLowBits][kVectorBytes];
  uint8_t high[Format::kGroups][Format::kHighBits == 0 ? 1 : Format::kHighBits][kVectorBytes];
};
template <typename Format, int R>
  requires(Format::kHighBits == 0)
struct PanelBlock<Format, R> {
  static constexpr int kVectorBytes = 4 * R;
  typename Format::template Scales<R> scales;
  uint8_t low[Format::kGroups][Format::kLowBits][kVectorBytes];
};
static_assert(sizeof(PanelBlock<Q4_K, 16>) == 148 * 16 && sizeof(PanelBlock<Q6_K, 16>) == 212 * 16);

template <typename Format>
inline constexpr bool kHasMins = Format::template Scales<8>::kMins;
template <typename Format>
inline constexpr bool kHasPairedMins = Format::template Scales<8>::kPairedMins;

// Columns of one panel block.
template <typename Format>
inline constexpr int64_t kBlockCols = 32 * Format::kGroups;

template <typename Format>
constexpr int64_t blocks_per_panel(int64_t cols) {
  return (cols + kBlockCols<Format> - 1) / kBlockCols<Format>;
}

}  // namespace tribar::kernel::panel
