// Every quantised type in one common form: groups of 16 or 32 signed bytes with a scale and, for some types, an offset.
//
//   x[i] = scale[i / group] * levels[i] + offset[i / group]        // exactly the value of quant::dequantize_row
//
// so that one exact and one integer linear kernel serve all of them. Block layouts: tensor/quant/.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace tribar::kernel::TRIBAR_GENERIC {

struct UnpackedRow {
  int8_t* levels;
  float* scale;
  float* offset;  // written only for types that have offsets
};

struct PackedType {
  int64_t group;  // 16 or 32
  bool has_offset;
  void (*unpack)(const std::byte* blocks, int64_t n, const UnpackedRow& out);  // n: whole blocks
};

// Null for F32, F16 and BF16.
const PackedType* packed_type(DType type);

}  // namespace tribar::kernel::TRIBAR_GENERIC
