// Parses the header of one safetensors file that lies in memory into an owned, checked table.
//
//   TRIBAR_ASSIGN_OR_RETURN(std::vector<TensorEntry> tensors, safetensors::parse(mapped.bytes()));
//
// File: header length u64, a JSON object {name: {"dtype", "shape", "data_offsets": [begin, end]}, "__metadata__":
// {...}}, data. Checked: header at most 16 MB and inside the file; each tensor's offsets are exactly what shape and
// dtype need; all tensors together cover the data without gap, overlap or rest; names unique. NaN and Inf values are
// not looked for here.
// Errors: kDataLoss (damaged), kUnimplemented (dtype, rank; named).
// Threads: pure function; the entries' `bytes` point into `bytes`, at any alignment.
// Source: safetensors README, section Format.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/status.h"
#include "format/weight_index.h"

namespace tribar::format::safetensors {

inline constexpr uint64_t kMaxHeaderBytes = 16'000'000;

// In order of offset; TensorEntry::file is 0.
Result<std::vector<TensorEntry>> parse(std::span<const std::byte> bytes);

}  // namespace tribar::format::safetensors
