// The activation functions of kernel/args.h on vectors.
#pragma once

#include <cmath>

#include "kernel/args.h"
#include "kernel/generic/math-inl.h"

namespace tribar::kernel::TRIBAR_GENERIC {

struct Silu {
  TRIBAR_INLINE F32 operator()(F32 x) const { return x / (1.0f + exp(-x)); }
};

// 0.5 (1 + tanh u) = 1 / (1 + e^-2u): one exponential, and no cancellation where x is far below zero.
struct GeluTanh {
  TRIBAR_INLINE F32 operator()(F32 x) const {
    constexpr float kTwoSqrt2OverPi = 1.59576912160573071f;
    const F32 cubic = mul_add(x * x * 0.044715f, x, x);
    return x / (1.0f + exp(cubic * -kTwoSqrt2OverPi));
  }
};

// No model of the hot path uses it: erf comes from the C library, a lane at a time.
struct GeluErf {
  TRIBAR_INLINE F32 operator()(F32 x) const {
    F32 y{};
    for (int64_t i = 0; i < kLanes; ++i) y[i] = 0.5f * x[i] * (1.0f + ::erff(x[i] * 0.70710678118654752f));
    return y;
  }
};

struct Relu {
  TRIBAR_INLINE F32 operator()(F32 x) const { return x < 0.0f ? broadcast(0.0f) : x; }
};

struct ReluSquared {
  TRIBAR_INLINE F32 operator()(F32 x) const {
    const F32 positive = Relu{}(x);
    return positive * positive;
  }
};

// Calls fn with the function object of `activation`.
template <typename Fn>
TRIBAR_INLINE void with_activation(Activation activation, Fn fn) {
  switch (activation) {
    case Activation::kSilu: return fn(Silu{});
    case Activation::kGeluTanh: return fn(GeluTanh{});
    case Activation::kGeluErf: return fn(GeluErf{});
    case Activation::kRelu: return fn(Relu{});
    case Activation::kReluSquared: return fn(ReluSquared{});
  }
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
