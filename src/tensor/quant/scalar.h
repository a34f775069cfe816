// Plain element types as blocks of one value, so that rows of any type are read through one template.
//
// decode() is exact; encode() rounds to nearest even (F16, BF16).
// Threads: values.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>

#include "tensor/dtype.h"
#include "tensor/half.h"

namespace tribar::quant {

// T as it lies in a file: any address will do.
template <typename T, DType type>
struct PackedNumber {
  static constexpr DType kType = type;
  static constexpr int64_t kElements = 1;
  uint8_t bytes[sizeof(T)];

  void decode(float* out) const {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    *out = static_cast<float>(value);
  }
  static PackedNumber encode(const float* in)
    requires std::same_as<T, float>
  {
    PackedNumber block;
    std::memcpy(block.bytes, in, sizeof block.bytes);
    return block;
  }
};

using BlockF32 = PackedNumber<float, DType::kF32>;
using BlockI8 = PackedNumber<int8_t, DType::kI8>;
using BlockI32 = PackedNumber<int32_t, DType::kI32>;
using BlockI64 = PackedNumber<int64_t, DType::kI64>;

struct BlockF16 {
  static constexpr DType kType = DType::kF16;
  static constexpr int64_t kElements = 1;
  PackedF16 value;

  void decode(float* out) const { *out = value.value(); }
  static BlockF16 encode(const float* in) { return {PackedF16::from(*in)}; }
};

struct BlockBF16 {
  static constexpr DType kType = DType::kBF16;
  static constexpr int64_t kElements = 1;
  PackedU16 bits;

  void decode(float* out) const { *out = bf16_to_f32(bits.value()); }
  static BlockBF16 encode(const float* in) { return {PackedU16::from(f32_to_bf16(*in))}; }
};

static_assert(sizeof(BlockF32) == 4 && sizeof(BlockF16) == 2 && sizeof(BlockBF16) == 2 && sizeof(BlockI64) == 8);

}  // namespace tribar::quant
