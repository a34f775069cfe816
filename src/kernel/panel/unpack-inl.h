// Codes of R rows × 4 columns from the bit planes of a panel block (kernel/panel/format.h describes them).
//
// Templates on V so that each instruction set has its own copy. Threads: pure functions.
#pragma once

#include <array>

#include "kernel/panel/format.h"
#include "kernel/panel/unroll.h"

namespace tribar::kernel::panel {

// Code book formats look up level + 128, an unsigned byte.
template <typename Format>
inline constexpr int kCodeOffset = Format::kHasLevels ? 128 : Format::kOffset;
template <typename Format>
inline constexpr int kMaxUnpackedCode = Format::kHasLevels ? 255 : Format::kMaxCode;

template <typename Format>
constexpr std::array<uint8_t, 16> shifted_levels() {
  std::array<uint8_t, 16> out{};
  for (size_t i = 0; i < 16; ++i) out[i] = static_cast<uint8_t>(Format::kLevels[i] + 128);
  return out;
}

// Bits `step` of a plane, moved to bit position `to`; other bits of the byte are rubbish.
template <typename V, int bits, int step, int to, int bytes>
TRIBAR_INLINE typename V::I plane_bits(const uint8_t (*plane)[bytes]) {
  constexpr int kStepsPerVector = 8 / bits;
  return V::template shift<to - bits*(step % kStepsPerVector)>(V::load_bytes(plane[step / kStepsPerVector]));
}

template <typename V, typename Format, int step>
TRIBAR_INLINE typename V::I unpack_codes(const PanelBlock<Format, V::kRows>& block, int group) {
  typename V::I codes = plane_bits<V, Format::kLowBits, step, 0>(block.low[group]);
  if constexpr (Format::kLowBits < 8) codes = V::bit_and(codes, V::set1_byte((1 << Format::kLowBits) - 1));
  if constexpr (Format::kHighBits > 0) {
    constexpr int kMask = ((1 << Format::kHighBits) - 1) << Format::kLowBits;
    codes = V::merge(codes, plane_bits<V, Format::kHighBits, step, Format::kLowBits>(block.high[group]),
                     V::set1_byte(kMask));
  }
  if constexpr (Format::kHasLevels) {
    static constexpr std::array<uint8_t, 16> kTable = shifted_levels<Format>();
    codes = V::lookup(V::load_table(kTable.data()), codes);
  }
  return codes;
}

}  // namespace tribar::kernel::panel
