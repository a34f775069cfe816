// The activation functions of kernel/args.h on one value, in double.
// Threads: pure function. Sources: SiLU and GELU, Hendrycks & Gimpel 2016; squared ReLU, So et al. 2021.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernel/args.h"

namespace tribar::kernel::reference {

inline double activate_value(Activation activation, double x) {
  constexpr double kSqrt2OverPi = 0.79788456080286535588;
  constexpr double kInverseSqrt2 = 0.70710678118654752440;
  const double positive = std::max(x, 0.0);
  switch (activation) {
    case Activation::kSilu: return x / (1.0 + std::exp(-x));
    case Activation::kGeluTanh: return 0.5 * x * (1.0 + std::tanh(kSqrt2OverPi * (x + 0.044715 * x * x * x)));
    case Activation::kGeluErf: return 0.5 * x * (1.0 + std::erf(x * kInverseSqrt2));
    case Activation::kRelu: return positive;
    case Activation::kReluSquared: return positive * positive;
  }
  return 0.0;
}

}  // namespace tribar::kernel::reference
