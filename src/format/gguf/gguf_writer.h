// GgufWriter: a GGUF v3 file from metadata and tensors, in the order they are added.
//
//   GgufWriter writer;
//   writer.set("general.architecture", std::string("llama"));
//   writer.add_tensor({"output_norm.weight", DType::kF32, {64}, bytes});
//   TRIBAR_RETURN_IF_ERROR(writer.write("tiny.gguf"));
//
// Integers are written as u32, i32 or i64 and reals as f32 or f64, whichever is the first to hold the value: what
// converters write and readers expect. An empty array is an array of strings or numbers as its MetaValue says. The key
// general.alignment, when set, is obeyed. The writer checks nothing: it also makes the files that readers must refuse.
// Memory: the tensors' bytes are borrowed until build() or write(), which hold the whole file.
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "format/metadata.h"
#include "tensor/dtype.h"

namespace tribar::format {

class GgufWriter {
 public:
  struct Tensor {
    std::string name;
    DType dtype = DType::kF32;
    std::vector<int64_t> shape;  // outermost first
    std::span<const std::byte> bytes;
  };

  void set(std::string key, MetaValue value) { keys_.emplace_back(std::move(key), std::move(value)); }
  void add_tensor(Tensor tensor) { tensors_.push_back(std::move(tensor)); }

  std::vector<std::byte> build() const;
  Status write(const std::string& path) const;

 private:
  std::vector<std::pair<std::string, MetaValue>> keys_;
  std::vector<Tensor> tensors_;
};

}  // namespace tribar::format
