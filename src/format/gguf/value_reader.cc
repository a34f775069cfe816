#include "format/gguf/value_reader.h"

#include <string>
#include <vector>

#include "base/checked_int.h"

namespace tribar::format::gguf {
namespace {

Status cut_short() { return data_loss("the file ends in the middle of the value"); }

Result<ValueType> checked_type(uint32_t number) {
  if (number >= static_cast<uint32_t>(ValueType::kCount)) {
    return data_loss("unknown value type " + std::to_string(number));
  }
  return static_cast<ValueType>(number);
}

// One element in the type that MetaValue keeps it in.
template <typename Stored, typename InFile>
Result<Stored> read_element(ByteCursor& cursor) {
  if constexpr (std::is_same_v<InFile, std::string>) {
    const auto length = cursor.read<uint64_t>();
    const std::string_view text = cursor.read_bytes(length);
    if (cursor.failed()) return cut_short();
    return std::string(text);
  } else if constexpr (std::is_same_v<InFile, bool>) {
    const auto byte = cursor.read<uint8_t>();
    if (cursor.failed()) return cut_short();
    if (byte > 1) return data_loss("a boolean has the value " + std::to_string(byte));
    return byte == 1;
  } else {
    const auto value = cursor.read<InFile>();
    if (cursor.failed()) return cut_short();
    if constexpr (std::is_same_v<InFile, uint64_t>) {
      if (!checked_cast<int64_t>(value)) return data_loss("the integer " + std::to_string(value) + " is out of range");
    }
    return static_cast<Stored>(value);
  }
}

template <typename InFile>
constexpr uint64_t kMinElementBytes = std::is_same_v<InFile, std::string> ? sizeof(uint64_t) : sizeof(InFile);

template <typename Stored, typename InFile>
Result<MetaValue> read_elements(ByteCursor& cursor, uint64_t count) {
  if (count > cursor.remaining() / kMinElementBytes<InFile>) return cut_short();
  std::vector<Stored> out;
  out.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    Result<Stored> element = read_element<Stored, InFile>(cursor);
    if (!element.ok()) return element.status();
    out.push_back(std::move(*element));
  }
  return MetaValue(std::move(out));
}

template <typename Stored, typename InFile>
Result<MetaValue> read_one(ByteCursor& cursor) {
  TRIBAR_ASSIGN_OR_RETURN(Stored value, (read_element<Stored, InFile>(cursor)));
  return MetaValue(std::move(value));
}

}  // namespace

Result<MetaValue> ValueReader::read() {
  TRIBAR_ASSIGN_OR_RETURN(const ValueType type, checked_type(cursor_.read<uint32_t>()));
  if (cursor_.failed()) return cut_short();
  return type == ValueType::kArray ? read_array() : read_scalar(type);
}

Result<MetaValue> ValueReader::read_scalar(ValueType type) {
  switch (type) {
    case ValueType::kUint8: return read_one<int64_t, uint8_t>(cursor_);
    case ValueType::kInt8: return read_one<int64_t, int8_t>(cursor_);
    case ValueType::kUint16: return read_one<int64_t, uint16_t>(cursor_);
    case ValueType::kInt16: return read_one<int64_t, int16_t>(cursor_);
    case ValueType::kUint32: return read_one<int64_t, uint32_t>(cursor_);
    case ValueType::kInt32: return read_one<int64_t, int32_t>(cursor_);
    case ValueType::kUint64: return read_one<int64_t, uint64_t>(cursor_);
    case ValueType::kInt64: return read_one<int64_t, int64_t>(cursor_);
    case ValueType::kFloat32: return read_one<double, float>(cursor_);
    case ValueType::kFloat64: return read_one<double, double>(cursor_);
    case ValueType::kBool: return read_one<bool, bool>(cursor_);
    case ValueType::kString: return read_one<std::string, std::string>(cursor_);
    case ValueType::kArray:
    case ValueType::kCount: break;
  }
  return internal_error("no scalar type");
}

Result<MetaValue> ValueReader::read_array() {
  TRIBAR_ASSIGN_OR_RETURN(const ValueType type, checked_type(cursor_.read<uint32_t>()));
  const auto count = cursor_.read<uint64_t>();
  if (cursor_.failed()) return cut_short();
  if (type == ValueType::kArray) return unimplemented("arrays of arrays are not supported");
  if (count > array_elements_left_) {
    return data_loss("the file has more than " + std::to_string(kMaxArrayElements) + " array elements");
  }
  array_elements_left_ -= count;
  switch (type) {
    case ValueType::kUint8: return read_elements<int64_t, uint8_t>(cursor_, count);
    case ValueType::kInt8: return read_elements<int64_t, int8_t>(cursor_, count);
    case ValueType::kUint16: return read_elements<int64_t, uint16_t>(cursor_, count);
    case ValueType::kInt16: return read_elements<int64_t, int16_t>(cursor_, count);
    case ValueType::kUint32: return read_elements<int64_t, uint32_t>(cursor_, count);
    case ValueType::kInt32: return read_elements<int64_t, int32_t>(cursor_, count);
    case ValueType::kUint64: return read_elements<int64_t, uint64_t>(cursor_, count);
    case ValueType::kInt64: return read_elements<int64_t, int64_t>(cursor_, count);
    case ValueType::kFloat32: return read_elements<double, float>(cursor_, count);
    case ValueType::kFloat64: return read_elements<double, double>(cursor_, count);
    case ValueType::kBool: return read_elements<bool, bool>(cursor_, count);
    case ValueType::kString: return read_elements<std::string, std::string>(cursor_, count);
    case ValueType::kArray:
    case ValueType::kCount: break;
  }
  return internal_error("no element type");
}

}  // namespace tribar::format::gguf
