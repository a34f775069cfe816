// Rows of any element or block type to floats and back, by DType: the scalar truth that every kernel is checked
// against.
//
//   quant::dequantize_row(DType::kQ4_K, row_bytes, floats, 4096);
//
// `n` is a whole number of blocks. `src` and `dst` bytes may lie at any address. dequantize_row gives exactly ggml's
// values (same operations in the same order) for every bit pattern. quantize_row rounds each block to nearest with
// simple scales: valid and close, not the search that offline quantisers do. quantize_row knows the floating and block
// types only.
// Layouts: one header per block format in this folder. Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace tribar::quant {

// False for types that are no values of a row by themselves (Q8Act) and, for quantize_row, integers.
bool can_dequantize(DType type);
bool can_quantize(DType type);

void dequantize_row(DType type, const std::byte* src, float* dst, int64_t n);
void quantize_row(DType type, const float* src, std::byte* dst, int64_t n);

}  // namespace tribar::quant
