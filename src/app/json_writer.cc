#include "app/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace tribar::app {

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_quoted(name);
  text_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view value) {
  separate();
  append_quoted(value);
  return *this;
}

JsonWriter& JsonWriter::integer(int64_t value) {
  separate();
  text_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::unsigned_integer(uint64_t value) {
  separate();
  text_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::number(double value, int significant_digits) {
  if (!std::isfinite(value)) return null();
  separate();
  std::array<char, 64> digits;  // the longest general form, "-1.2345678901234567e-308", fits
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                          std::chars_format::general, significant_digits);
  text_.append(digits.data(), end);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  separate();
  text_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  text_ += "null";
  return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  text_ += bracket;
  needs_comma_ = true;
  return *this;
}

void JsonWriter::separate() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = true;
}

namespace {

// The escape of a line separator outside ASCII, empty for anything else. Readers of JSON lines may split at these.
std::string_view separator_escape(std::string_view rest) {
  if (rest.starts_with("\xC2\x85")) return "\\u0085";
  if (rest.starts_with("\xE2\x80\xA8")) return "\\u2028";
  if (rest.starts_with("\xE2\x80\xA9")) return "\\u2029";
  return {};
}

}  // namespace

void JsonWriter::append_quoted(std::string_view value) {
  text_ += '"';
  for (size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (const std::string_view escape = separator_escape(value.substr(i)); !escape.empty()) {
      text_ += escape;
      i += c == '\xC2' ? 1 : 2;
      continue;
    }
    switch (c) {
      case '"': text_ += "\\\""; break;
      case '\\': text_ += "\\\\"; break;
      case '\n': text_ += "\\n"; break;
      case '\r': text_ += "\\r"; break;
      case '\t': text_ += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          std::array<char, 8> escape;
          std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
          text_ += escape.data();
        } else {
          text_ += c;
        }
    }
  }
  text_ += '"';
}

}  // namespace tribar::app
