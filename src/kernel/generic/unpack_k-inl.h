// Unpack<Block> for the types with 256 values and scales in two steps (K-quants, IQ4_XS).
// Products are taken in the order of quant::dequantize_row: first the two scales, then the level.
#pragma once

#include "kernel/generic/unpack_32-inl.h"
#include "tensor/quant/iq4_xs.h"
#include "tensor/quant/q2_k.h"
#include "tensor/quant/q3_k.h"
#include "tensor/quant/q4_k.h"
#include "tensor/quant/q5_k.h"
#include "tensor/quant/q6_k.h"

namespace tribar::kernel::TRIBAR_GENERIC {

// Two bits a value: values 128h + 32s + l are bits 2s of qs[32h + l].
TRIBAR_INLINE void unpack_two_bits(const uint8_t* qs, int8_t* __restrict levels) {
  for (int64_t half = 0; half < 2; ++half) {
    for (int64_t l = 0; l < 32; ++l) {
      const uint8_t bits = qs[32 * half + l];
      int8_t* out = levels + 128 * half + l;
      out[0] = static_cast<int8_t>(bits & 3);
      out[32] = static_cast<int8_t>((bits >> 2) & 3);
      out[64] = static_cast<int8_t>((bits >> 4) & 3);
      out[96] = static_cast<int8_t>(bits >> 6);
    }
  }
}

// Nibbles in chunks of 32 bytes: 32 low ones, then 32 high ones.
TRIBAR_INLINE void unpack_nibble_chunks(const uint8_t* qs, int8_t* __restrict levels) {
  for (int64_t chunk = 0; chunk < 4; ++chunk) {
    for (int64_t l = 0; l < 32; ++l) {
      levels[64 * chunk + l] = static_cast<int8_t>(qs[32 * chunk + l] & 15);
      levels[64 * chunk + 32 + l] = static_cast<int8_t>(qs[32 * chunk + l] >> 4);
    }
  }
}

// The eight scales and minima of Q4_K and Q5_K (tensor/quant/k_scales.h).
TRIBAR_INLINE void unpack_k_scales(const quant::PackedKScales& packed, float d, float dmin, float* scale,
                                   float* offset) {
  const uint8_t* bytes = packed.bytes;
  for (int64_t g = 0; g < 4; ++g) {
    scale[g] = d * static_cast<float>(bytes[g] & 63);
    offset[g] = -(dmin * static_cast<float>(bytes[g + 4] & 63));
    scale[g + 4] = d * static_cast<float>((bytes[g + 8] & 15) | (bytes[g] >> 6) << 4);
    offset[g + 4] = -(dmin * static_cast<float>((bytes[g + 8] >> 4) | (bytes[g + 4] >> 6) << 4));
  }
}

template <>
struct Unpack<quant::BlockQ2_K> {
  static constexpr int64_t kGroup = 16;
  static constexpr bool kHasOffset = true;
  TRIBAR_INLINE static void run(const quant::BlockQ2_K& block, int8_t* levels, float* scale, float* offset) {
    const float d = half_value(block.d);
    const float dmin = half_value(block.dmin);
    for (int64_t g = 0; g < 16; ++g) {
      scale[g] = d * static_cast<float>(block.scales[g] & 15);
      offset[g] = -(dmin * static_cast<float>(block.scales[g] >> 4));
    }
    unpack_two_bits(block.qs, levels);
  }
};

template <>
struct Unpack<quant::BlockQ3_K> {
  static constexpr int64_t kGroup = 16;
  static constexpr bool kHasOffset = false;
  TRIBAR_INLINE static void run(const quant::BlockQ3_K& block, int8_t* levels, float* scale, float* /*offset*/) {
    const float d = half_value(block.d);
    for (int64_t g = 0; g < 16; ++g) {
      const int low = (block.scales[g % 8] >> (4 * (g / 8))) & 15;
      const int high = (block.scales[8 + g % 4] >> (2 * (g / 4))) & 3;
      scale[g] = d * static_cast<float>((low | high << 4) - 32);
    }
    unpack_two_bits(block.qs, levels);
    for (int64_t part = 0; part < 8; ++part) {
      for (int64_t l = 0; l < 32; ++l) {
        const int high = (block.hmask[l] >> part) & 1;
        levels[32 * part + l] = static_cast<int8_t>((levels[32 * part + l] | high << 2) - 4);
      }
    }
  }
};

template <>
struct Unpack<quant::BlockQ4_K> {
  static constexpr int64_t kGroup = 32;
  static constexpr bool kHasOffset = true;
  TRIBAR_INLINE static void run(const quant::BlockQ4_K& block, int8_t* levels, float* scale, float* offset) {
    unpack_k_scales(block.scales, half_value(block.d), half_value(block.dmin), scale, offset);
    unpack_nibble_chunks(block.qs, levels);
  }
};

template <>
struct Unpack<quant::BlockQ5_K> {
  static constexpr int64_t kGroup = 32;
  static constexpr bool kHasOffset = true;
  TRIBAR_INLINE static void run(const quant::BlockQ5_K& block, int8_t* levels, float* scale, float* offset) {
    unpack_k_scales(block.scales, half_value(block.d), half_value(block.dmin), scale, offset);
    unpack_nibble_chunks(block.qs, levels);
    for (int64_t part = 0; part < 8; ++part) {
      for (int64_t l = 0; l < 32; ++l) {
        levels[32 * part + l] = static_cast<int8_t>(levels[32 * part + l] | ((block.qh[l] >> part) & 1) << 4);
      }
    }
  }
};

template <>
struct Unpack<quant::BlockQ6_K> {
  static constexpr int64_t kGroup = 16;
  static constexpr bool kHasOffset = false;
  TRIBAR_INLINE static void run(const quant::BlockQ6_K& block, int8_t* levels, float* scale, float* /*offset*/) {
    const float d = half_value(block.d);
    for (int64_t g = 0; g < 16; ++g) scale[g] = d * static_cast<float>(block.scales[g]);
    for (int64_t half = 0; half < 2; ++half) {
      const uint8_t* low = block.ql + 64 * half;
      const uint8_t* high = block.qh + 32 * half;
      int8_t* __restrict out = levels + 128 * half;
      for (int64_t l = 0; l < 32; ++l) {
        out[l] = static_cast<int8_t>(((low[l] & 15) | (high[l] & 3) << 4) - 32);
        out[l + 32] = static_cast<int8_t>(((low[l + 32] & 15) | ((high[l] >> 2) & 3) << 4) - 32);
        out[l + 64] = static_cast<int8_t>(((low[l] >> 4) | ((high[l] >> 4) & 3) << 4) - 32);
        out[l + 96] = static_cast<int8_t>(((low[l + 32] >> 4) | (high[l] >> 6) << 4) - 32);
      }
    }
  }
};

template <>
struct Unpack<quant::BlockIQ4_XS> {
  static constexpr int64_t kGroup = 32;
  static constexpr bool kHasOffset = false;
  TRIBAR_INLINE static void run(const quant::BlockIQ4_XS& block, int8_t* levels, float* scale, float* /*offset*/) {
    const float d = half_value(block.d);
    uint16_t high_bits;
    std::memcpy(&high_bits, &block.scales_h, sizeof high_bits);
    for (int64_t g = 0; g < 8; ++g) {
      const int low = (block.scales_l[g / 2] >> (4 * (g % 2))) & 15;
      const int high = (high_bits >> (2 * g)) & 3;
      scale[g] = d * static_cast<float>((low | high << 4) - 32);
      unpack_table(block.qs + 16 * g, quant::kIq4Levels.data(), levels + 32 * g);
    }
  }
};

}  // namespace tribar::kernel::TRIBAR_GENERIC
