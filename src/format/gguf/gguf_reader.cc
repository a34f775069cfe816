#include "format/gguf/gguf_reader.h"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/checked_int.h"
#include "format/byte_cursor.h"
#include "format/gguf/gguf_types.h"
#include "format/gguf/value_reader.h"
#include "format/printable.h"
#include "format/tensor_layout.h"

namespace tribar::format::gguf {
namespace {

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes), cursor_(bytes), values_(cursor_) {}

  Result<ParsedFile> read() {
    TRIBAR_RETURN_IF_ERROR(read_header());
    TRIBAR_RETURN_IF_ERROR(read_metadata());
    TRIBAR_RETURN_IF_ERROR(read_alignment());
    TRIBAR_RETURN_IF_ERROR(read_tensor_infos());
    TRIBAR_RETURN_IF_ERROR(locate_tensors());
    return std::move(file_);
  }

 private:
  Status read_header();
  Status read_metadata();
  Status read_alignment();
  Status read_tensor_infos();
  Result<TensorEntry> read_tensor_info();
  Status locate_tensors();
  // The name or key at the cursor.
  Result<std::string> read_name(std::string_view what);

  std::span<const std::byte> bytes_;
  ByteCursor cursor_;
  ValueReader values_;
  uint64_t tensor_count_ = 0;
  uint64_t key_count_ = 0;
  ParsedFile file_;
};

Status Reader::read_header() {
  const std::string_view magic = cursor_.read_bytes(kMagic.size());
  if (magic == "FUGG") return unimplemented("big-endian GGUF files are not supported");
  if (magic != kMagic) return data_loss("not a GGUF file (it does not begin with \"GGUF\")");
  const auto version = cursor_.read<uint32_t>();
  tensor_count_ = cursor_.read<uint64_t>();
  key_count_ = cursor_.read<uint64_t>();
  if (cursor_.failed()) return data_loss("the file ends in its header");
  const uint32_t swapped = __builtin_bswap32(version);
  if (swapped >= 1 && swapped <= 0xffff) return unimplemented("big-endian GGUF files are not supported");
  if (version < kMinVersion || version > kMaxVersion) {
    return unimplemented("GGUF version " + std::to_string(version) + " is not supported (only 2 and 3)");
  }
  file_.version = version;
  if (key_count_ > kMaxKeys) return data_loss("the header announces " + std::to_string(key_count_) + " keys");
  if (tensor_count_ > kMaxTensors) {
    return data_loss("the header announces " + std::to_string(tensor_count_) + " tensors");
  }
  // Neither product can wrap below the limits above.
  if (key_count_ * kMinKeyBytes + tensor_count_ * kMinTensorInfoBytes > cursor_.remaining()) {
    return data_loss("the file is too short for the " + std::to_string(key_count_) + " keys and " +
                     std::to_string(tensor_count_) + " tensors it announces");
  }
  return {};
}

Result<std::string> Reader::read_name(std::string_view what) {
  const auto length = cursor_.read<uint64_t>();
  if (!cursor_.failed() && (length == 0 || length > kMaxNameBytes)) {
    return data_loss("a " + std::string(what) + " is " + std::to_string(length) + " bytes long");
  }
  const std::string_view name = cursor_.read_bytes(length);
  if (cursor_.failed()) return data_loss("the file ends in a " + std::string(what));
  return std::string(name);
}

Status Reader::read_metadata() {
  for (uint64_t i = 0; i < key_count_; ++i) {
    Result<std::string> key = read_name("key");
    if (!key.ok()) return key.status().with_context("key " + std::to_string(i));
    if (file_.metadata.contains(*key)) return data_loss("the key " + in_quotes(*key) + " appears twice");
    Result<MetaValue> value = values_.read();
    if (!value.ok()) return value.status().with_context("key " + in_quotes(*key));
    file_.metadata.set(std::move(*key), std::move(*value));
  }
  return {};
}

Status Reader::read_alignment() {
  constexpr std::string_view kKey = "general.alignment";
  file_.alignment = kDefaultAlignment;
  if (!file_.metadata.contains(kKey)) return {};
  TRIBAR_ASSIGN_OR_RETURN(const int64_t alignment, file_.metadata.require_int(kKey));
  const std::optional<uint64_t> value = checked_cast<uint64_t>(alignment);
  if (!value || !std::has_single_bit(*value) || *value < kMinAlignment || *value > kMaxAlignment) {
    return data_loss("general.alignment is " + std::to_string(alignment) + ", not a power of two from 8 to 1048576");
  }
  file_.alignment = *value;
  return {};
}

Status Reader::read_tensor_infos() {
  file_.tensors.reserve(tensor_count_);
  std::unordered_set<std::string_view> names;
  names.reserve(tensor_count_);
  for (uint64_t i = 0; i < tensor_count_; ++i) {
    Result<TensorEntry> tensor = read_tensor_info();
    if (!tensor.ok()) return tensor.status().with_context("tensor " + std::to_string(i));
    file_.tensors.push_back(std::move(*tensor));  // never reallocates: `names` points into the entries
    const std::string& name = file_.tensors.back().name;
    if (!names.insert(name).second) return data_loss("the tensor " + in_quotes(name) + " appears twice");
  }
  return {};
}

Result<TensorEntry> Reader::read_tensor_info() {
  TensorEntry tensor;
  TRIBAR_ASSIGN_OR_RETURN(tensor.name, read_name("tensor name"));
  const auto rank = cursor_.read<uint32_t>();
  if (!cursor_.failed() && rank > kMaxRank) {
    return data_loss(in_quotes(tensor.name) + " has " + std::to_string(rank) + " dimensions");
  }
  for (uint32_t i = 0; i < rank; ++i) {
    const std::optional<int64_t> dimension = checked_cast<int64_t>(cursor_.read<uint64_t>());
    if (!dimension) return data_loss(in_quotes(tensor.name) + " has a dimension that does not fit in 63 bits");
    tensor.shape.push_back(*dimension);
  }
  std::reverse(tensor.shape.begin(), tensor.shape.end());  // GGUF writes the innermost dimension first
  const auto type_number = cursor_.read<uint32_t>();
  tensor.offset_bytes = cursor_.read<uint64_t>();  // from the start of the data, until locate_tensors()
  if (cursor_.failed()) return data_loss("the file ends in the description of " + in_quotes(tensor.name));
  const std::optional<DType> dtype = dtype_from_gguf(type_number);
  if (!dtype) {
    return unimplemented(in_quotes(tensor.name) + " has the type " + gguf_type_name(type_number) +
                         ", which is not supported");
  }
  tensor.dtype = *dtype;
  return tensor;
}

Status Reader::locate_tensors() {
  const std::optional<uint64_t> data_offset = checked_align_up(cursor_.position(), file_.alignment);
  if (!data_offset) return data_loss("the file has no room for its data");
  file_.data_offset_bytes = *data_offset;
  std::vector<const TensorEntry*> order;
  order.reserve(file_.tensors.size());
  for (TensorEntry& tensor : file_.tensors) {
    const Result<uint64_t> size = tensor_bytes(tensor.dtype, tensor.shape);
    if (!size.ok()) return size.status().with_context("tensor " + in_quotes(tensor.name));
    if (tensor.offset_bytes % file_.alignment != 0) {
      return data_loss("tensor " + in_quotes(tensor.name) + " is not aligned to " + std::to_string(file_.alignment) +
                       " bytes");
    }
    const std::optional<uint64_t> begin = checked_add(*data_offset, tensor.offset_bytes);
    const std::optional<uint64_t> end = begin ? checked_add(*begin, *size) : std::nullopt;
    if (!end || *end > bytes_.size()) {
      return data_loss("tensor " + in_quotes(tensor.name) + " lies outside the file of " +
                       std::to_string(bytes_.size()) + " bytes: the file is cut short or damaged");
    }
    tensor.offset_bytes = *begin;
    tensor.bytes = bytes_.subspan(*begin, *size);
    order.push_back(&tensor);
  }
  return check_no_overlap(std::move(order));
}

}  // namespace

Result<ParsedFile> parse(std::span<const std::byte> bytes) { return Reader(bytes).read(); }

}  // namespace tribar::format::gguf
