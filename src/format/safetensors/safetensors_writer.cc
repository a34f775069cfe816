#include "format/safetensors/safetensors_writer.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/write_file.h"
#include "format/byte_builder.h"

namespace tribar::format {
namespace {

namespace json = boost::json;

std::vector<const SafetensorsWriter::Tensor*> in_file_order(const std::vector<SafetensorsWriter::Tensor>& tensors) {
  std::vector<const SafetensorsWriter::Tensor*> order;
  order.reserve(tensors.size());
  for (const SafetensorsWriter::Tensor& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    const int32_t width_a = dtype_info(a->dtype).block_bytes;
    const int32_t width_b = dtype_info(b->dtype).block_bytes;
    return width_a != width_b ? width_a > width_b : a->name < b->name;
  });
  return order;
}

}  // namespace

std::vector<std::byte> SafetensorsWriter::build() const {
  const std::vector<const Tensor*> order = in_file_order(tensors_);
  json::object header;
  if (!metadata_.empty()) {
    json::object& metadata = header["__metadata__"].emplace_object();
    for (const auto& [key, value] : metadata_) metadata[key] = value;
  }
  uint64_t offset = 0;
  for (const Tensor* tensor : order) {
    const uint64_t end = offset + tensor->bytes.size();
    header[tensor->name] = {{"dtype", json::string(dtype_name(tensor->dtype))},
                            {"shape", json::array(tensor->shape.begin(), tensor->shape.end())},
                            {"data_offsets", json::array({offset, end})}};
    offset = end;
  }
  std::string text = json::serialize(header);
  text.append((8 - text.size() % 8) % 8, ' ');
  ByteBuilder out;
  out.number<uint64_t>(text.size());
  out.text(text);
  for (const Tensor* tensor : order) out.append(tensor->bytes);
  return out.take();
}

Status SafetensorsWriter::write(const std::string& path) const { return write_file(path, build()); }

}  // namespace tribar::format
