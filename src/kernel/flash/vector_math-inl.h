// exp and tanh on the vectors of V, within 2 units in the last place; exp(0) is exactly 1 and exp(-inf) exactly 0.
//
// NaN gives NaN. Sources: Cephes expf and tanhf (Moshier 1992); range reduction of Cody & Waite 1980.
// Threads: pure functions.
#pragma once

#include "kernel/panel/unroll.h"

namespace tribar::kernel::flash {

template <typename V>
TRIBAR_INLINE typename V::F exp(typename V::F x) {
  using F = typename V::F;
  const F clamped = V::min(V::set1(89.0f), V::max(V::set1(-104.0f), x));  // the second operand where one is a NaN
  const F n = V::round(V::mul(clamped, V::set1(1.44269504088896341f)));
  F r =
      V::fma(n, V::set1(-0.693359375f), clamped);  // ln 2 in two parts; the first has nine bits, so n times it is exact
  r = V::fma(n, V::set1(2.12194440e-4f), r);
  F p = V::set1(1.9875691500e-4f);
  p = V::fma(p, r, V::set1(1.3981999507e-3f));
  p = V::fma(p, r, V::set1(8.3334519073e-3f));
  p = V::fma(p, r, V::set1(4.1665795894e-2f));
  p = V::fma(p, r, V::set1(1.6666665459e-1f));
  p = V::fma(p, r, V::set1(5.0000001201e-1f));
  p = V::add(V::fma(p, V::mul(r, r), r), V::set1(1.0f));
  return V::times_power_of_two(p, n);
}

template <typename V>
TRIBAR_INLINE typename V::F tanh(typename V::F x) {
  using F = typename V::F;
  const F square = V::mul(x, x);
  F p = V::set1(-5.70498872745e-3f);
  p = V::fma(p, square, V::set1(2.06390887954e-2f));
  p = V::fma(p, square, V::set1(-5.37397155531e-2f));
  p = V::fma(p, square, V::set1(1.33314422036e-1f));
  p = V::fma(p, square, V::set1(-3.33332819422e-1f));
  const F small = V::fma(V::mul(p, square), x, x);
  const F magnitude = V::abs(x);
  const F e = exp<V>(V::add(magnitude, magnitude));
  const F large = V::sub(V::set1(1.0f), V::div(V::set1(2.0f), V::add(e, V::set1(1.0f))));
  return V::select_less(magnitude, V::set1(0.625f), small, V::copy_sign(large, x));
}

}  // namespace tribar::kernel::flash
