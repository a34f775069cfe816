// WeightView: a borrowed weight matrix [rows, cols] = [output features, input features], as y = x · Wᵀ reads it.
//
// `data` is either the rows as they stand in the model file (row-major, row_bytes(dtype, cols) each) or the packed
// form of the LinearKernel that will read it; the pair is made by runtime/weight_store and never taken apart.
// Threads: immutable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace tribar::kernel {

struct WeightView {
  const std::byte* data = nullptr;
  DType dtype = DType::kF32;  // of the source values; packing is lossless and keeps it
  int64_t rows = 0;
  int64_t cols = 0;
};

}  // namespace tribar::kernel
