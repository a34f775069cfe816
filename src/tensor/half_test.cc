#include "tensor/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tribar {
namespace {

// The value that the bits of a binary16 number mean, from the definition.
double half_by_definition(uint16_t bits) {
  const int sign = bits >> 15;
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  double magnitude = 0;
  if (exponent == 31) {
    magnitude = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else {
    magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  }
  return sign != 0 ? -magnitude : magnitude;
}

TEST(Half, EveryBitPatternDecodesByDefinitionAndBack) {
  for (uint32_t bits = 0; bits < 0x10000u; ++bits) {
    const float value = f16_to_f32(static_cast<uint16_t>(bits));
    const double expected = half_by_definition(static_cast<uint16_t>(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_EQ(f32_to_f16(value), bits | 0x200u);
    } else {
      ASSERT_EQ(static_cast<double>(value), expected) << bits;
      ASSERT_EQ(std::signbit(value), std::signbit(expected)) << bits;
      ASSERT_EQ(f32_to_f16(value), bits);
    }
  }
}

TEST(Half, RoundsToNearestEvenBetweenAllNeighbours) {
  for (uint16_t low = 0; low < 0x7bff; ++low) {
    const float a = f16_to_f32(low);
    const float b = f16_to_f32(static_cast<uint16_t>(low + 1));
    const float middle = 0.5f * (a + b);  // exact
    const uint16_t even = (low & 1) == 0 ? low : static_cast<uint16_t>(low + 1);
    ASSERT_EQ(f32_to_f16(middle), even) << low;
    ASSERT_EQ(f32_to_f16(-middle), even | 0x8000) << low;
    ASSERT_EQ(f32_to_f16(std::nextafter(middle, 0.0f)), low) << low;
    ASSERT_EQ(f32_to_f16(std::nextafter(middle, 1e9f)), low + 1) << low;
  }
  EXPECT_EQ(f32_to_f16(65519.996f), 0x7bff);
  EXPECT_EQ(f32_to_f16(65520.0f), 0x7c00);
  EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::infinity()), 0x7c00);
  EXPECT_EQ(f32_to_f16(1e-45f), 0);
}

TEST(BFloat16, RoundsToNearestEvenAndKeepsNan) {
  EXPECT_EQ(bf16_to_f32(0x3f80), 1.0f);
  EXPECT_EQ(f32_to_bf16(1.0f), 0x3f80);
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x3f808000u)), 0x3f80);
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x3f818000u)), 0x3f82);
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x3f808001u)), 0x3f81);
  EXPECT_EQ(f32_to_bf16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::bit_cast<float>(0x7f800001u)))));
}

TEST(E8M0, IsHalfAPowerOfTwo) {
  for (int e = 0; e < 256; ++e) {
    EXPECT_EQ(e8m0_half_to_f32(static_cast<uint8_t>(e)), std::ldexp(1.0f, e - 128)) << e;
  }
}

}  // namespace
}  // namespace tribar
