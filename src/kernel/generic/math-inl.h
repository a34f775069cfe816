// exp and tanh on vectors, within 2 units in the last place of the true value over the whole range.
//
// NaN gives NaN; exp overflows to infinity above 88.72 and fades through the subnormals to 0 below -103.97.
// Sources of the polynomials: Cephes expf and tanhf (Moshier 1992); the reduction is Cody & Waite 1980.
#pragma once

#include "kernel/generic/vec-inl.h"

namespace tribar::kernel::TRIBAR_GENERIC {

// Adding it to |x| < 2^22 leaves round-to-nearest-even(x) in the low bits.
inline constexpr float kRoundingMagic = 12582912.0f;  // 1.5 * 2^23

// 2^n for n in [-126, 127].
TRIBAR_INLINE F32 power_of_two(I32 n) { return reinterpret_cast<F32>(reinterpret_cast<U32>(n + 127) << 23); }

TRIBAR_INLINE F32 exp(F32 x) {
  constexpr float kLog2E = 1.44269504088896341f;
  constexpr float kLn2High = 0.693359375f;  // nine bits: n * kLn2High is exact
  constexpr float kLn2Low = -2.12194440e-4f;
  x = x < -104.0f ? broadcast(-104.0f) : x;  // this way round a NaN stays
  x = x > 89.0f ? broadcast(89.0f) : x;
  const F32 shifted = mul_add(x, broadcast(kLog2E), broadcast(kRoundingMagic));
  const F32 n = shifted - kRoundingMagic;
  F32 r = mul_add(n, broadcast(-kLn2High), x);
  r = mul_add(n, broadcast(-kLn2Low), r);

  F32 p = broadcast(1.9875691500e-4f);
  p = mul_add(p, r, broadcast(1.3981999507e-3f));
  p = mul_add(p, r, broadcast(8.3334519073e-3f));
  p = mul_add(p, r, broadcast(4.1665795894e-2f));
  p = mul_add(p, r, broadcast(1.6666665459e-1f));
  p = mul_add(p, r, broadcast(5.0000001201e-1f));
  p = mul_add(p, r * r, r) + 1.0f;

  // Two factors, because 2^n itself may be out of range where the result is not.
  const I32 exponent = bits_of(shifted) - bits_of(broadcast(kRoundingMagic));
  const I32 half = exponent >> 1;
  return p * power_of_two(half) * power_of_two(exponent - half);
}

TRIBAR_INLINE F32 tanh(F32 x) {
  const F32 magnitude = abs(x);
  const F32 square = x * x;
  F32 p = broadcast(-5.70498872745e-3f);
  p = mul_add(p, square, broadcast(2.06390887954e-2f));
  p = mul_add(p, square, broadcast(-5.37397155531e-2f));
  p = mul_add(p, square, broadcast(1.33314422036e-1f));
  p = mul_add(p, square, broadcast(-3.33332819422e-1f));
  const F32 small = mul_add(p * square, x, x);

  const F32 large = 1.0f - 2.0f / (exp(magnitude + magnitude) + 1.0f);
  const I32 sign = bits_of(x) & static_cast<int32_t>(0x80000000u);
  return select(magnitude < 0.625f, small, from_bits(bits_of(large) | sign));
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
