// scan_json: strict JSON as a stream of events, for files that nobody vouches for.
//
//   struct CountStrings : JsonSink { Status value(const JsonScalar& v) override { ... } };
//   TRIBAR_RETURN_IF_ERROR(scan_json(text, sink));
//
// Nothing is built, so memory is a few bytes a nesting level and a key of the open objects. RFC 8259 without
// extensions: valid UTF-8, nothing after the value, at most 64 levels, no key twice in an object. Numbers without
// fraction or exponent that fit are int64, all others double, correctly rounded.
// Errors: kDataLoss with the byte position; whatever a sink returns stops the scan and comes back unchanged.
// Threads: pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/status.h"

namespace tribar::format {

inline constexpr size_t kMaxJsonDepth = 64;

// monostate is null. The text of a string lives until the event returns.
using JsonScalar = std::variant<std::monostate, bool, int64_t, double, std::string_view>;

class JsonSink {
 public:
  virtual ~JsonSink() = default;
  virtual Status begin_object() { return {}; }
  virtual Status end_object() { return {}; }
  virtual Status begin_array() { return {}; }
  virtual Status end_array() { return {}; }
  virtual Status key(std::string_view) { return {}; }
  virtual Status value(const JsonScalar&) { return {}; }
};

Status scan_json(std::string_view text, JsonSink& sink);

}  // namespace tribar::format
