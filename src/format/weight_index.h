// WeightIndex: every tensor of a model, by name, as read-only bytes in mapped files. Nothing is copied.
//
//   const TensorEntry* t = index.find("blk.0.attn_q.weight");
//   t->shape   // outermost first: {rows, cols}, as PyTorch writes it; GGUF's ne[] is reversed by its reader
//
// Guaranteed by the readers: the product of `shape` fits, `bytes.size()` is exactly what shape and dtype need, the
// bytes lie inside the file, names are unique, tensors do not overlap. Rank is 0 to 4, no dimension is 0.
// Threads: immutable after reading. The bytes live as long as the ModelFiles that own the mappings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/dtype.h"

namespace tribar::format {

struct TensorEntry {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;
  int file = 0;               // which of ModelFiles::files()
  uint64_t offset_bytes = 0;  // of the data in that file

  int64_t elements() const;
  // The last dimension, and the product of the others: how kernels see a tensor.
  int64_t cols() const { return shape.empty() ? 1 : shape.back(); }
  int64_t rows() const { return elements() / cols(); }
};

class WeightIndex {
 public:
  // False if the name is taken.
  bool add(TensorEntry entry);
  const TensorEntry* find(std::string_view name) const;
  // In order of name.
  const std::map<std::string, TensorEntry, std::less<>>& entries() const { return entries_; }
  uint64_t total_bytes() const;

 private:
  std::map<std::string, TensorEntry, std::less<>> entries_;
};

}  // namespace tribar::format
