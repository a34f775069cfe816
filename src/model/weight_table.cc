#include "model/weight_table.h"

#include <algorithm>

namespace tribar::model {
namespace {

std::string shown(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

// A name out of the file, fit for a one-line message.
std::string printable(std::string_view name) {
  constexpr size_t kMost = 80;
  std::string text(name.substr(0, kMost));
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return name.size() > kMost ? text + "..." : text;
}

bool is_float(DType type) { return type == DType::kF32 || type == DType::kF16 || type == DType::kBF16; }

}  // namespace

const TensorInfo* WeightTable::find(WeightKey key, std::string_view part) const {
  const std::string name = names_.of(key, part);
  return name.empty() ? nullptr : catalog_.find(name);
}

int64_t WeightTable::matrix_rows(WeightKey key) const {
  const TensorInfo* tensor = find(key, "weight");
  return tensor != nullptr && tensor->shape.size() == 2 ? tensor->shape[0] : -1;
}

Result<const TensorInfo*> WeightTable::require(const std::string& name, const std::vector<int64_t>& shape) {
  const TensorInfo* tensor = catalog_.find(name);
  if (tensor == nullptr) return data_loss("tensor " + name + " is missing");
  if (tensor->shape != shape) {
    return data_loss("tensor " + name + " has shape " + shown(tensor->shape) + ", the configuration asks for " +
                     shown(shape));
  }
  used_.insert(name);
  return tensor;
}

Result<graph::ValueId> WeightTable::add_matrix(WeightKey key, graph::WeightRole role, RowRange range, int64_t cols,
                                               WeightKey as) {
  const std::string name = names_.of(key, "weight");
  TRIBAR_ASSIGN_OR_RETURN(const TensorInfo* tensor, require(name, {range.total, cols}));
  if (!dtype_info(tensor->dtype).quantized && !is_float(tensor->dtype)) {
    return unimplemented("tensor " + name + " is " + std::string(dtype_name(tensor->dtype)) +
                         ", which no matrix can be");
  }
  return builder_->weight(
      {display_name(as), role, {{name, range.begin, range.count}}, tensor->dtype, range.count, cols});
}

Result<graph::ValueId> WeightTable::add_vector(WeightKey key, std::string_view part, RowRange range, WeightKey as) {
  const std::string name = names_.of(key, part);
  TRIBAR_ASSIGN_OR_RETURN(const TensorInfo* tensor, require(name, {range.total}));
  if (!is_float(tensor->dtype)) {
    return unimplemented("tensor " + name + " is " + std::string(dtype_name(tensor->dtype)) +
                         ", expected F32, F16 or BF16");
  }
  const std::string suffix = part == "bias" ? ".bias" : "";
  return builder_->weight({display_name(as) + suffix,
                           graph::WeightRole::kVector,
                           {{name, range.begin, range.count}},
                           tensor->dtype,
                           1,
                           range.count});
}

Result<graph::ValueId> WeightTable::embedding(WeightKey key, int64_t rows, int64_t cols) {
  return add_matrix(key, graph::WeightRole::kEmbedding, all_rows(rows), cols, key);
}
Result<graph::ValueId> WeightTable::matrix(WeightKey key, int64_t rows, int64_t cols) {
  return add_matrix(key, graph::WeightRole::kMatrix, all_rows(rows), cols, key);
}
Result<graph::ValueId> WeightTable::vector(WeightKey key, int64_t size) {
  return add_vector(key, "weight", all_rows(size), key);
}
Result<graph::ValueId> WeightTable::bias(WeightKey key, int64_t size) {
  return add_vector(key, "bias", all_rows(size), key);
}
Result<graph::ValueId> WeightTable::matrix_part(WeightKey key, RowRange range, int64_t cols, WeightKey as) {
  return add_matrix(key, graph::WeightRole::kMatrix, range, cols, as);
}
Result<graph::ValueId> WeightTable::bias_part(WeightKey key, RowRange range, WeightKey as) {
  return add_vector(key, "bias", range, as);
}

Status WeightTable::check_all_used(std::span<const std::string_view> skipped) const {
  std::string first;
  int64_t count = 0;
  for (const std::string& name : catalog_.names()) {
    if (used_.contains(name) || names_.ignorable(name)) continue;
    if (std::any_of(skipped.begin(), skipped.end(), [&](std::string_view p) { return name.starts_with(p); })) continue;
    if (count++ == 0) first = name;
  }
  if (count == 0) return {};
  const std::string others = count == 1 ? "" : " and " + std::to_string(count - 1) + " more";
  return unimplemented("tensor " + printable(first) + others + " has no place in this architecture");
}

int64_t WeightTable::parameters() const {
  int64_t total = 0;
  for (const std::string& name : used_) {
    int64_t elements = 1;
    for (const int64_t size : catalog_.find(name)->shape) elements *= size;
    total += elements;
  }
  return total;
}

}  // namespace tribar::model
