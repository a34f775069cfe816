// ByteBuilder: appends little-endian numbers and byte runs; the counterpart of ByteCursor.
//
//   ByteBuilder out;
//   out.number<uint32_t>(3);
//   out.text("GGUF");
//
// Threads: one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tribar::format {

class ByteBuilder {
 public:
  template <typename T>
    requires std::is_arithmetic_v<T>
  void number(T value) {
    append(std::as_bytes(std::span(&value, 1)));
  }
  void text(std::string_view text) { append(std::as_bytes(std::span(text))); }
  void append(std::span<const std::byte> bytes) {
    const size_t begin = bytes_.size();
    bytes_.resize(begin + bytes.size());
    std::copy(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<ptrdiff_t>(begin));
  }
  void pad_to(uint64_t alignment, std::byte filler = std::byte{0}) {
    while (bytes_.size() % alignment != 0) bytes_.push_back(filler);
  }

  size_t size() const { return bytes_.size(); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace tribar::format
