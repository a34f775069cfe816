// SafetensorsWriter: a safetensors file from tensors, laid out as the format's own library does it: widest type first,
// then by name, header padded with spaces to a multiple of 8.
//
//   SafetensorsWriter writer;
//   writer.add_tensor({"model.norm.weight", DType::kBF16, {64}, bytes});
//   TRIBAR_RETURN_IF_ERROR(writer.write("model.safetensors"));
//
// Names are UTF-8. Memory: the tensors' bytes are borrowed until build() or write(), which hold the whole file.
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "tensor/dtype.h"

namespace tribar::format {

class SafetensorsWriter {
 public:
  struct Tensor {
    std::string name;
    DType dtype = DType::kF32;
    std::vector<int64_t> shape;  // outermost first
    std::span<const std::byte> bytes;
  };

  void set(std::string key, std::string value) { metadata_[std::move(key)] = std::move(value); }
  void add_tensor(Tensor tensor) { tensors_.push_back(std::move(tensor)); }

  std::vector<std::byte> build() const;
  Status write(const std::string& path) const;

 private:
  std::map<std::string, std::string> metadata_;
  std::vector<Tensor> tensors_;
};

}  // namespace tribar::format
