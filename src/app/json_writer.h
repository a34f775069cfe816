// JsonWriter: builds a JSON text piece by piece, with control over how numbers are written, which a document model does
// not give.
//
//   JsonWriter json;
//   json.begin_object().key("ppl").number(30.5, 6).key("ids").begin_array().integer(1).end_array().end_object();
//   json.text()   // {"ppl":30.5,"ids":[1]}
//
// Commas are placed by the writer. Strings are UTF-8 and are escaped as RFC 8259 asks. JSON has no NaN and no infinity:
// they become null.
// Threads: one caller.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tribar::app {

class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& string(std::string_view value);
  JsonWriter& integer(int64_t value);
  JsonWriter& unsigned_integer(uint64_t value);
  JsonWriter& number(double value, int significant_digits);
  JsonWriter& boolean(bool value);
  JsonWriter& null();

  const std::string& text() const { return text_; }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();
  void append_quoted(std::string_view value);

  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace tribar::app
