// The rules that every tensor of every container obeys, in one place: rank, dimensions, whole blocks, sizes that fit.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "format/weight_index.h"
#include "tensor/dtype.h"

namespace tribar::format {

inline constexpr size_t kMaxRank = 4;
inline constexpr size_t kMaxNameBytes = 1024;
// 100,000 tensors are ten times the largest published checkpoint shard.
inline constexpr uint64_t kMaxTensors = 100'000;

// The bytes a tensor of this shape (outermost dimension first) needs: the one size that all later code uses. kDataLoss
// if a dimension is not positive, the product does not fit or a row is no whole number of blocks; kUnimplemented above
// kMaxRank.
Result<uint64_t> tensor_bytes(DType dtype, const std::vector<int64_t>& shape);

// kDataLoss naming two tensors of one file whose bytes overlap. Reorders `tensors` by offset.
Status check_no_overlap(std::vector<const TensorEntry*> tensors);

}  // namespace tribar::format
