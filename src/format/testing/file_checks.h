// What every reader promises of the tensors it accepts, checked from outside. Used by tests and fuzzers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "format/tensor_layout.h"
#include "format/weight_index.h"
#include "tensor/quant/quant.h"

namespace tribar::format::testing {

// "" if all promises of format/weight_index.h hold for tensors read from `file`, otherwise the broken one.
inline std::string broken_promise(std::span<const std::byte> file, const std::vector<TensorEntry>& tensors) {
  std::set<std::string> names;
  std::vector<std::pair<uint64_t, uint64_t>> extents;
  for (const TensorEntry& tensor : tensors) {
    if (!names.insert(tensor.name).second) return "a name is not unique";
    if (tensor.shape.size() > kMaxRank) return "rank";
    if (std::ranges::any_of(tensor.shape, [](int64_t d) { return d <= 0; })) return "a dimension is not positive";
    const Result<uint64_t> size = tensor_bytes(tensor.dtype, tensor.shape);
    if (!size.ok() || *size != tensor.bytes.size() || *size == 0) return "size";
    if (tensor.offset_bytes > file.size() || tensor.bytes.size() > file.size() - tensor.offset_bytes) return "bounds";
    if (tensor.bytes.data() != file.data() + tensor.offset_bytes) return "bytes are not those of the file";
    extents.emplace_back(tensor.offset_bytes, tensor.offset_bytes + tensor.bytes.size());
    // The last row can be read (the sanitizers watch).
    std::vector<float> row(
        static_cast<size_t>(std::min<int64_t>(tensor.cols(), dtype_info(tensor.dtype).block_elements)));
    const std::span<const std::byte> last =
        tensor.bytes.last(static_cast<size_t>(dtype_info(tensor.dtype).block_bytes));
    quant::dequantize_row(tensor.dtype, last.data(), row.data(), static_cast<int64_t>(row.size()));
  }
  std::ranges::sort(extents);
  for (size_t i = 1; i < extents.size(); ++i) {
    if (extents[i].first < extents[i - 1].second) return "overlap";
  }
  return "";
}

}  // namespace tribar::format::testing
