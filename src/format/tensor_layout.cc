#include "format/tensor_layout.h"

#include <algorithm>
#include <string>

#include "base/checked_int.h"
#include "format/printable.h"

namespace tribar::format {

Result<uint64_t> tensor_bytes(DType dtype, const std::vector<int64_t>& shape) {
  if (shape.size() > kMaxRank) {
    return unimplemented("it has " + std::to_string(shape.size()) + " dimensions, at most 4 are supported");
  }
  int64_t rows = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] <= 0) return data_loss("dimension " + std::to_string(i) + " is " + std::to_string(shape[i]));
    if (i + 1 == shape.size()) break;
    const std::optional<int64_t> product = checked_mul(rows, shape[i]);
    if (!product) return data_loss("its number of elements does not fit in 64 bits");
    rows = *product;
  }
  const int64_t cols = shape.empty() ? 1 : shape.back();
  if (cols % dtype_info(dtype).block_elements != 0) {
    return data_loss("its rows of " + std::to_string(cols) + " values are not a whole number of " +
                     std::string(dtype_name(dtype)) + " blocks");
  }
  const std::optional<int64_t> elements = checked_mul(rows, cols);
  const std::optional<int64_t> row = row_bytes(dtype, cols);
  const std::optional<int64_t> total = row ? checked_mul(rows, *row) : std::nullopt;
  if (!elements || !total) return data_loss("its number of elements does not fit in 64 bits");
  return static_cast<uint64_t>(*total);
}

Status check_no_overlap(std::vector<const TensorEntry*> tensors) {
  std::sort(tensors.begin(), tensors.end(),
            [](const TensorEntry* a, const TensorEntry* b) { return a->offset_bytes < b->offset_bytes; });
  for (size_t i = 1; i < tensors.size(); ++i) {
    // Both lie inside the file, so the sum fits.
    if (tensors[i - 1]->offset_bytes + tensors[i - 1]->bytes.size() > tensors[i]->offset_bytes) {
      return data_loss("the tensors " + in_quotes(tensors[i - 1]->name) + " and " + in_quotes(tensors[i]->name) +
                       " overlap");
    }
  }
  return {};
}

}  // namespace tribar::format
