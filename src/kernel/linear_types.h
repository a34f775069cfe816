// The weight types of linear layers, and what activations their fast kernels read. Internal to kernel/.
// Threads: constant.
#pragma once

#include <array>

#include "tensor/dtype.h"

namespace tribar::kernel {

struct LinearType {
  DType weight;
  DType fast_activation;  // of Precision::kFast; kExact always reads F32
};

inline constexpr std::array<LinearType, 16> kLinearTypes = {{
    {DType::kF32, DType::kF32},
    {DType::kF16, DType::kF32},
    {DType::kBF16, DType::kF32},
    {DType::kQ4_0, DType::kQ8Act},
    {DType::kQ4_1, DType::kQ8Act},
    {DType::kQ5_0, DType::kQ8Act},
    {DType::kQ5_1, DType::kQ8Act},
    {DType::kQ8_0, DType::kQ8Act},
    {DType::kQ2_K, DType::kQ8Act},
    {DType::kQ3_K, DType::kQ8Act},
    {DType::kQ4_K, DType::kQ8Act},
    {DType::kQ5_K, DType::kQ8Act},
    {DType::kQ6_K, DType::kQ8Act},
    {DType::kIQ4_NL, DType::kQ8Act},
    {DType::kIQ4_XS, DType::kQ8Act},
    {DType::kMXFP4, DType::kQ8Act},
}};

}  // namespace tribar::kernel
