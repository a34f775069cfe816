// ByteCursor: reads little-endian numbers and byte runs from a span, and never past its end.
//
//   ByteCursor cursor(bytes);
//   const auto count = cursor.read<uint64_t>();
//   const std::string_view name = cursor.read_bytes(cursor.read<uint64_t>());
//   if (cursor.failed()) return data_loss("truncated");
//
// The first read that does not fit sets failed(), moves nothing and gives zeros; so do all reads after it. Check
// failed() before using a value to size or index anything.
// Threads: one.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace tribar::format {

class ByteCursor {
 public:
  explicit ByteCursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint64_t position() const { return position_; }
  uint64_t remaining() const { return bytes_.size() - position_; }
  bool failed() const { return failed_; }

  template <typename T>
    requires std::is_arithmetic_v<T>
  T read() {
    T value{};
    if (const std::byte* from = take(sizeof value)) std::memcpy(&value, from, sizeof value);
    return value;
  }

  // A view into the span.
  std::string_view read_bytes(uint64_t count) {
    const std::byte* from = take(count);
    return from != nullptr ? std::string_view(reinterpret_cast<const char*>(from), count) : std::string_view();
  }

 private:
  const std::byte* take(uint64_t count) {
    if (failed_ || count > remaining()) {
      failed_ = true;
      return nullptr;
    }
    const std::byte* from = bytes_.data() + position_;
    position_ += count;
    return from;
  }

  std::span<const std::byte> bytes_;
  size_t position_ = 0;
  bool failed_ = false;
};

}  // namespace tribar::format
