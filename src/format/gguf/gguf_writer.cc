#include "format/gguf/gguf_writer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/write_file.h"
#include "format/byte_builder.h"
#include "format/gguf/gguf_types.h"

namespace tribar::format {
namespace {

using gguf::ValueType;

void put_string(ByteBuilder& out, std::string_view text) {
  out.number<uint64_t>(text.size());
  out.text(text);
}

void put_type(ByteBuilder& out, ValueType type) { out.number(static_cast<uint32_t>(type)); }

template <typename T>
bool all_fit(std::span<const int64_t> values) {
  return std::all_of(values.begin(), values.end(), [](int64_t v) { return std::in_range<T>(v); });
}

// The type that holds all of `values`.
ValueType integer_type(std::span<const int64_t> values) {
  if (all_fit<uint32_t>(values)) return ValueType::kUint32;
  return all_fit<int32_t>(values) ? ValueType::kInt32 : ValueType::kInt64;
}

ValueType real_type(std::span<const double> values) {
  const bool exact = std::all_of(values.begin(), values.end(), [](double v) {
    return std::isnan(v) || static_cast<double>(static_cast<float>(v)) == v;
  });
  return exact ? ValueType::kFloat32 : ValueType::kFloat64;
}

void put_integer(ByteBuilder& out, ValueType type, int64_t value) {
  if (type == ValueType::kUint32) return out.number(static_cast<uint32_t>(value));
  if (type == ValueType::kInt32) return out.number(static_cast<int32_t>(value));
  out.number(value);
}

void put_real(ByteBuilder& out, ValueType type, double value) {
  if (type == ValueType::kFloat32) return out.number(static_cast<float>(value));
  out.number(value);
}

class PutValue {
 public:
  explicit PutValue(ByteBuilder& out) : out_(out) {}

  void operator()(bool value) const {
    put_type(out_, ValueType::kBool);
    out_.number<uint8_t>(value ? 1 : 0);
  }
  void operator()(int64_t value) const {
    const ValueType type = integer_type({&value, 1});
    put_type(out_, type);
    put_integer(out_, type, value);
  }
  void operator()(double value) const {
    const ValueType type = real_type({&value, 1});
    put_type(out_, type);
    put_real(out_, type, value);
  }
  void operator()(const std::string& value) const {
    put_type(out_, ValueType::kString);
    put_string(out_, value);
  }
  void operator()(const std::vector<bool>& values) const {
    begin_array(ValueType::kBool, values.size());
    for (const bool value : values) out_.number<uint8_t>(value ? 1 : 0);
  }
  void operator()(const std::vector<int64_t>& values) const {
    const ValueType type = integer_type(values);
    begin_array(type, values.size());
    for (const int64_t value : values) put_integer(out_, type, value);
  }
  void operator()(const std::vector<double>& values) const {
    const ValueType type = real_type(values);
    begin_array(type, values.size());
    for (const double value : values) put_real(out_, type, value);
  }
  void operator()(const std::vector<std::string>& values) const {
    begin_array(ValueType::kString, values.size());
    for (const std::string& value : values) put_string(out_, value);
  }

 private:
  void begin_array(ValueType type, size_t count) const {
    put_type(out_, ValueType::kArray);
    put_type(out_, type);
    out_.number<uint64_t>(count);
  }

  ByteBuilder& out_;
};

uint64_t alignment_of(std::span<const std::pair<std::string, MetaValue>> keys) {
  for (const auto& [key, value] : keys) {
    const int64_t* alignment = std::get_if<int64_t>(&value);
    if (key == "general.alignment" && alignment != nullptr && *alignment > 0) return static_cast<uint64_t>(*alignment);
  }
  return gguf::kDefaultAlignment;
}

uint64_t padded(uint64_t size, uint64_t alignment) { return (size + alignment - 1) / alignment * alignment; }

}  // namespace

std::vector<std::byte> GgufWriter::build() const {
  const uint64_t alignment = alignment_of(keys_);
  ByteBuilder out;
  out.text(gguf::kMagic);
  out.number(gguf::kMaxVersion);
  out.number<uint64_t>(tensors_.size());
  out.number<uint64_t>(keys_.size());
  for (const auto& [key, value] : keys_) {
    put_string(out, key);
    std::visit(PutValue(out), value);
  }
  uint64_t offset = 0;
  for (const Tensor& tensor : tensors_) {
    put_string(out, tensor.name);
    out.number(static_cast<uint32_t>(tensor.shape.size()));
    for (auto dimension = tensor.shape.rbegin(); dimension != tensor.shape.rend(); ++dimension) out.number(*dimension);
    out.number(static_cast<uint32_t>(dtype_info(tensor.dtype).gguf_id));
    out.number(offset);
    offset += padded(tensor.bytes.size(), alignment);
  }
  for (const Tensor& tensor : tensors_) {
    out.pad_to(alignment);
    out.append(tensor.bytes);
  }
  out.pad_to(alignment);
  return out.take();
}

Status GgufWriter::write(const std::string& path) const { return write_file(path, build()); }

}  // namespace tribar::format
