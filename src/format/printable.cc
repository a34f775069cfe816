#include "format/printable.h"

#include <cstdint>

namespace tribar::format {
namespace {

void append_escaped(std::string& out, uint8_t byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += "\\x";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

// Length of the well-formed UTF-8 character at the front of `text`, 0 if there is none (Unicode 15, table 3-7).
size_t utf8_length(std::string_view text) {
  const auto at = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0}; };
  const auto continues = [&](size_t i, uint8_t low = 0x80, uint8_t high = 0xbf) {
    return at(i) >= low && at(i) <= high;
  };
  const uint8_t lead = at(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return continues(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const uint8_t low = lead == 0xe0 ? 0xa0 : 0x80;   // no overlong forms
    const uint8_t high = lead == 0xed ? 0x9f : 0xbf;  // no surrogates
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const uint8_t low = lead == 0xf0 ? 0x90 : 0x80;
    const uint8_t high = lead == 0xf4 ? 0x8f : 0xbf;  // not above U+10FFFF
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string printable(std::string_view text, size_t max_bytes) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= max_bytes) return out + "...";
    const auto byte = static_cast<uint8_t>(text[0]);
    const size_t length = utf8_length(text);
    // U+0080..U+009F are control characters too, and terminals obey them.
    const bool control =
        byte < 0x20 || byte == 0x7f || (byte == 0xc2 && length == 2 && static_cast<uint8_t>(text[1]) < 0xa0);
    if (length == 0 || control) {
      append_escaped(out, byte);
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    out += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string in_quotes(std::string_view text) { return "'" + printable(text) + "'"; }

}  // namespace tribar::format
