// TensorView: a borrowed two-dimensional array of activations, [rows, cols], row-major with a row stride.
//
// Activations in Tribar are always two-dimensional: rows are tokens (or token-heads), cols are features. `stride_bytes`
// lies between the starts of consecutive rows, so a column slice of a wider tensor is a view of it.
// Threads: a view owns nothing; whoever hands it out says who may write.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace tribar {

struct TensorView {
  void* data = nullptr;
  DType dtype = DType::kF32;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t stride_bytes = 0;

  template <typename T>
  T* row(int64_t r) const {
    return reinterpret_cast<T*>(static_cast<std::byte*>(data) + r * stride_bytes);
  }
  float* f32(int64_t r) const { return row<float>(r); }
};

}  // namespace tribar
