#include "format/safetensors/safetensors_header.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "format/byte_cursor.h"
#include "format/json/json_scan.h"
#include "format/printable.h"
#include "format/tensor_layout.h"

namespace tribar::format::safetensors {
namespace {

std::optional<DType> dtype_named(std::string_view name) {
  constexpr std::array kReadable = {DType::kF32, DType::kF16, DType::kBF16, DType::kI8, DType::kI32, DType::kI64};
  for (const DType type : kReadable) {
    if (dtype_name(type) == name) return type;
  }
  return std::nullopt;
}

// Collects the tensors of the header; anything that is not of its exact form stops the scan.
class HeaderSink : public JsonSink {
 public:
  std::vector<TensorEntry> take() { return std::move(tensors_); }

  Status begin_object() override {
    switch (place_) {
      case Place::kOutside: place_ = Place::kRoot; return {};
      case Place::kRoot: place_ = name_ == "__metadata__" ? Place::kFileMetadata : Place::kTensor; return {};
      default: return wrong();
    }
  }

  Status end_object() override {
    switch (place_) {
      case Place::kRoot: place_ = Place::kOutside; return {};
      case Place::kFileMetadata: place_ = Place::kRoot; return {};
      case Place::kTensor: place_ = Place::kRoot; return finish_tensor();
      default: return wrong();
    }
  }

  Status begin_array() override {
    if (place_ != Place::kTensor) return wrong();
    if (field_ == "shape") {
      place_ = Place::kShape;
      shape_.emplace();
    } else if (field_ == "data_offsets") {
      place_ = Place::kOffsets;
      offsets_.emplace();
    } else {
      return wrong();
    }
    return {};
  }

  Status end_array() override {
    place_ = Place::kTensor;
    return {};
  }

  Status key(std::string_view key) override {
    if (place_ == Place::kRoot) {
      if (key.empty() || key.size() > kMaxNameBytes)
        return data_loss("a tensor name is " + std::to_string(key.size()) + " bytes long");
      name_ = key;
      dtype_.reset();
      shape_.reset();
      offsets_.reset();
    } else {
      field_ = key;
    }
    return {};
  }

  Status value(const JsonScalar& value) override {
    const auto* number = std::get_if<int64_t>(&value);
    const auto* text = std::get_if<std::string_view>(&value);
    switch (place_) {
      case Place::kFileMetadata: return text != nullptr ? Status() : wrong();
      case Place::kTensor: return text != nullptr && field_ == "dtype" ? set_dtype(*text) : wrong();
      case Place::kShape: return append(number, *shape_, kMaxRank);
      case Place::kOffsets: return append(number, *offsets_, 2);
      default: return wrong();
    }
  }

 private:
  enum class Place : uint8_t { kOutside, kRoot, kFileMetadata, kTensor, kShape, kOffsets };

  Status wrong() const {
    if (place_ == Place::kOutside || place_ == Place::kRoot) return data_loss("the header is not an object of objects");
    return data_loss("the header's entry " + in_quotes(name_) + " is not of the safetensors form");
  }

  Status set_dtype(std::string_view name) {
    dtype_ = dtype_named(name);
    if (dtype_) return {};
    return unimplemented("tensor " + in_quotes(name_) + " has the dtype " + printable(name) +
                         ", which is not supported");
  }

  Status append(const int64_t* number, std::vector<int64_t>& list, size_t limit) const {
    if (number == nullptr || *number < 0) return wrong();
    if (list.size() == limit) {
      if (place_ == Place::kOffsets) return wrong();
      return unimplemented("tensor " + in_quotes(name_) + " has more than 4 dimensions");
    }
    list.push_back(*number);
    return {};
  }

  Status finish_tensor() {
    if (!dtype_ || !shape_ || !offsets_ || offsets_->size() != 2) return wrong();
    if (tensors_.size() == kMaxTensors) return data_loss("more than " + std::to_string(kMaxTensors) + " tensors");
    const Result<uint64_t> size = tensor_bytes(*dtype_, *shape_);
    if (!size.ok()) return size.status().with_context("tensor " + in_quotes(name_));
    const auto begin = static_cast<uint64_t>((*offsets_)[0]);
    const auto end = static_cast<uint64_t>((*offsets_)[1]);
    if (end < begin || end - begin != *size) {
      return data_loss("tensor " + in_quotes(name_) + " needs " + std::to_string(*size) +
                       " bytes but has the offsets " + std::to_string(begin) + " to " + std::to_string(end));
    }
    TensorEntry tensor;
    tensor.name = name_;
    tensor.dtype = *dtype_;
    tensor.shape = std::move(*shape_);
    tensor.offset_bytes = begin;  // from the start of the data, until locate()
    tensors_.push_back(std::move(tensor));
    return {};
  }

  Place place_ = Place::kOutside;
  std::string name_;
  std::string field_;
  std::optional<DType> dtype_;
  std::optional<std::vector<int64_t>> shape_;
  std::optional<std::vector<int64_t>> offsets_;
  std::vector<TensorEntry> tensors_;
};

// Gives each tensor its bytes; together they must be all of `data`.
Status locate(std::span<const std::byte> data, uint64_t data_offset, std::vector<TensorEntry>& tensors) {
  std::sort(tensors.begin(), tensors.end(),
            [](const TensorEntry& a, const TensorEntry& b) { return a.offset_bytes < b.offset_bytes; });
  uint64_t covered = 0;
  for (TensorEntry& tensor : tensors) {
    if (tensor.offset_bytes != covered) {
      return data_loss("tensor " + in_quotes(tensor.name) + " begins at " + std::to_string(tensor.offset_bytes) +
                       " of the data, not at the end of the one before, " + std::to_string(covered));
    }
    // finish_tensor() has proven the size.
    const uint64_t size = *tensor_bytes(tensor.dtype, tensor.shape);
    if (size > data.size() - covered) {
      return data_loss("tensor " + in_quotes(tensor.name) + " ends after the file: the file is cut short or damaged");
    }
    tensor.bytes = data.subspan(covered, size);
    tensor.offset_bytes = data_offset + covered;
    covered += size;
  }
  if (covered != data.size()) {
    return data_loss("the file has " + std::to_string(data.size() - covered) + " bytes that belong to no tensor");
  }
  return {};
}

}  // namespace

Result<std::vector<TensorEntry>> parse(std::span<const std::byte> bytes) {
  ByteCursor cursor(bytes);
  const auto header_bytes = cursor.read<uint64_t>();
  if (cursor.failed()) return data_loss("the file is too short for a safetensors file");
  if (header_bytes > kMaxHeaderBytes) {
    return data_loss("the header claims " + std::to_string(header_bytes) +
                     " bytes: not a safetensors file, or damaged");
  }
  const std::string_view header = cursor.read_bytes(header_bytes);
  if (cursor.failed()) return data_loss("the file ends in its header");
  if (!header.starts_with('{')) return data_loss("the header does not begin with '{'");
  HeaderSink sink;
  TRIBAR_RETURN_IF_ERROR(scan_json(header, sink).with_context("header"));
  std::vector<TensorEntry> tensors = sink.take();
  TRIBAR_RETURN_IF_ERROR(locate(bytes.subspan(cursor.position()), cursor.position(), tensors));
  return tensors;
}

}  // namespace tribar::format::safetensors
