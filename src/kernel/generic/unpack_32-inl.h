// Unpack<Block>: one block of a type with 32 values to levels, scales and offsets. Loops are written for the
// vectoriser.
#pragma once

#include "kernel/generic/half-inl.h"
#include "tensor/quant/iq4_nl.h"
#include "tensor/quant/mxfp4.h"
#include "tensor/quant/q4_0.h"
#include "tensor/quant/q4_1.h"
#include "tensor/quant/q5_0.h"
#include "tensor/quant/q5_1.h"
#include "tensor/quant/q8_0.h"

namespace tribar::kernel::TRIBAR_GENERIC {

template <typename Block>
struct Unpack;

// Low nibbles are values 0..15, high nibbles 16..31.
TRIBAR_INLINE void unpack_nibbles(const uint8_t* qs, int bias, int8_t* __restrict levels) {
  for (int64_t j = 0; j < 16; ++j) {
    levels[j] = static_cast<int8_t>((qs[j] & 15) - bias);
    levels[j + 16] = static_cast<int8_t>((qs[j] >> 4) - bias);
  }
}

// The same with a fifth bit from bit i of qh for value i.
TRIBAR_INLINE void unpack_five_bits(const uint8_t* qs, const uint8_t* qh, int bias, int8_t* __restrict levels) {
  uint32_t high;
  std::memcpy(&high, qh, sizeof high);
  int8_t fifth[32];
  for (uint32_t i = 0; i < 32; ++i) fifth[i] = static_cast<int8_t>(((high >> i) & 1) << 4);
  for (int64_t j = 0; j < 16; ++j) {
    levels[j] = static_cast<int8_t>(((qs[j] & 15) | fifth[j]) - bias);
    levels[j + 16] = static_cast<int8_t>(((qs[j] >> 4) | fifth[j + 16]) - bias);
  }
}

// Nibbles that index a table of 16 levels.
TRIBAR_INLINE void unpack_table(const uint8_t* qs, const int8_t* table, int8_t* __restrict levels) {
#if defined(__SSSE3__)
  __m128i packed;
  __m128i values;
  std::memcpy(&packed, qs, sizeof packed);
  std::memcpy(&values, table, sizeof values);
  const __m128i mask = _mm_set1_epi8(15);
  const __m128i low = _mm_shuffle_epi8(values, _mm_and_si128(packed, mask));
  const __m128i high = _mm_shuffle_epi8(values, _mm_and_si128(_mm_srli_epi16(packed, 4), mask));
  std::memcpy(levels, &low, sizeof low);
  std::memcpy(levels + 16, &high, sizeof high);
#else
  for (int64_t j = 0; j < 16; ++j) {
    levels[j] = table[qs[j] & 15];
    levels[j + 16] = table[qs[j] >> 4];
  }
#endif
}

template <>
struct Unpack<quant::BlockQ4_0> {
  static constexpr int64_t kGroup = 32;
  static constexpr bool kHasOffset = false;
  TRIBAR_INLINE static void run(const quant::BlockQ4_0& block, int8_t* levels, float* scale, float* /*offset*/) {
    *scale = half_value(block.d);
    unpack_nibbles(block.qs, 8, levels);
  }
};

template <>
struct Unpack<quant::BlockQ4_1> {
  static constexpr int64_t kGroup = 32;
  static constexpr bool kHasOffset = true;
  TRIBAR_INLINE static void run(const quant::BlockQ4_1& block, int8_t* levels, float* scale, float* offset) {
    *scale = half_value(block.d);
    *offset = half_value(block.m);
    unpack_nibbles(block.qs, 0, levels);
  }
};

template <>
struct Unpack<quant::BlockQ5_0> {
  static constexpr int64_t kGroup = 32;
  static constexpr bool kHasOffset = false;
  TRIBAR_INLINE static void run(const quant::BlockQ5_0& block, int8_t* levels, float* scale, float* /*offset*/) {
    *scale = half_value(block.d);
    unpack_five_bits(block.qs, block.qh, 16, levels);
  }
};

template <>
struct Unpack<quant::BlockQ5_1> {
  static constexpr int64_t kGroup = 32;
  static constexpr bool kHasOffset = true;
  TRIBAR_INLINE static void run(const quant::BlockQ5_1& block, int8_t* levels, float* scale, float* offset) {
    *scale = half_value(block.d);
    *offset = half_value(block.m);
    unpack_five_bits(block.qs, block.qh, 0, levels);
  }
};

template <>
struct Unpack<quant::BlockQ8_0> {
  static constexpr int64_t kGroup = 32;
  static constexpr bool kHasOffset = false;
  TRIBAR_INLINE static void run(const quant::BlockQ8_0& block, int8_t* levels, float* scale, float* /*offset*/) {
    *scale = half_value(block.d);
    std::memcpy(levels, block.qs, sizeof block.qs);
  }
};

template <>
struct Unpack<quant::BlockIQ4_NL> {
  static constexpr int64_t kGroup = 32;
  static constexpr bool kHasOffset = false;
  TRIBAR_INLINE static void run(const quant::BlockIQ4_NL& block, int8_t* levels, float* scale, float* /*offset*/) {
    *scale = half_value(block.d);
    unpack_table(block.qs, quant::kIq4Levels.data(), levels);
  }
};

template <>
struct Unpack<quant::BlockMXFP4> {
  static constexpr int64_t kGroup = 32;
  static constexpr bool kHasOffset = false;
  TRIBAR_INLINE static void run(const quant::BlockMXFP4& block, int8_t* levels, float* scale, float* /*offset*/) {
    *scale = e8m0_half_to_f32(block.e);
    unpack_table(block.qs, quant::kFp4DoubledLevels.data(), levels);
  }
};

}  // namespace tribar::kernel::TRIBAR_GENERIC
