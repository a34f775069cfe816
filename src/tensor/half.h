// Sixteen- and eight-bit float formats as bits: IEEE half (F16), bfloat16 (BF16), and the E8M0 scale of MXFP4.
//
//   float x = f16_to_f32(bits);      // exact, subnormals, infinities and NaN included
//   uint16_t h = f32_to_f16(x);      // round to nearest even
//
// Plain integer arithmetic: the same bits on every ISA, whatever the rounding or flush mode of the FPU is for halves.
// Source: IEEE 754-2019 binary16; bfloat16 as the upper half of binary32; OCP Microscaling Formats 1.0 for E8M0.
// Threads: pure functions.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace tribar {

inline float f16_to_f32(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t magnitude = half & 0x7fffu;
  // Zero and subnormals are whole multiples of 2^-24.
  const uint32_t small = std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
  const uint32_t rebias = magnitude >= 0x7c00u ? (255u - 31u) << 23 : (127u - 15u) << 23;
  return std::bit_cast<float>(sign | (magnitude < 0x0400u ? small : (magnitude << 13) + rebias));
}

inline uint16_t f32_to_f16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t half = 0;
  if (magnitude > 0x7f800000u) {
    half = 0x7e00u | ((magnitude >> 13) & 0x3ffu);  // a NaN stays a NaN, made quiet
  } else if (magnitude >= 0x477ff000u) {
    half = 0x7c00u;  // 65520 and up round to infinity
  } else if (magnitude < 0x38800000u) {
    // Below 2^-14: one unit in the last place of 0.5f is 2^-24, so the addition rounds to the grid of subnormals.
    half = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<uint32_t>(0.5f);
  } else {
    half = ((magnitude + 0xfffu + ((magnitude >> 13) & 1u)) >> 13) - (112u << 10);
  }
  return static_cast<uint16_t>(sign | half);
}

inline float bf16_to_f32(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

inline uint16_t f32_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// Half of 2^(e - 127). MXFP4 tables hold doubled values, so that they are integers; the half is exact for every e.
// E8M0 calls e = 255 a NaN; ggml reads it as 2^128, and so do we.
inline float e8m0_half_to_f32(uint8_t exponent) {
  const uint32_t e = exponent;
  return std::bit_cast<float>(e < 2 ? 0x00200000u << e : (e - 1) << 23);
}

// A 16-bit little-endian number inside a block: alignment 1, because blocks lie at any even or odd address.
struct PackedU16 {
  uint8_t bytes[2];

  uint16_t value() const {
    uint16_t out;
    std::memcpy(&out, bytes, sizeof out);
    return out;
  }
  static PackedU16 from(uint16_t value) {
    PackedU16 out;
    std::memcpy(out.bytes, &value, sizeof value);
    return out;
  }
};

// A half-precision number inside a block.
struct PackedF16 {
  PackedU16 bits;

  float value() const { return f16_to_f32(bits.value()); }
  static PackedF16 from(float value) { return {PackedU16::from(f32_to_f16(value))}; }
};
static_assert(sizeof(PackedF16) == 2 && alignof(PackedF16) == 1);
static_assert(std::endian::native == std::endian::little, "model files are little-endian and read in place");

}  // namespace tribar
