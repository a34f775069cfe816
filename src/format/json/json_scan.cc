#include "format/json/json_scan.h"

#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "format/printable.h"

namespace tribar::format {
namespace {

namespace json = boost::json;
using Error = json::error_code;

// Turns Boost's events into JsonSink's: joins the parts of strings, refuses repeated keys, carries a sink's Status out.
class Events {
 public:
  // NOLINTBEGIN(readability-identifier-naming): names that basic_parser asks for.
  static constexpr size_t max_object_size = SIZE_MAX;
  static constexpr size_t max_array_size = SIZE_MAX;
  static constexpr size_t max_key_size = SIZE_MAX;
  static constexpr size_t max_string_size = SIZE_MAX;
  // NOLINTEND(readability-identifier-naming)

  explicit Events(JsonSink& sink) : sink_(sink) {}

  const Status& status() const { return status_; }

  bool on_document_begin(Error&) { return true; }
  bool on_document_end(Error&) { return true; }
  bool on_object_begin(Error& error) {
    keys_.emplace_back();
    return pass(sink_.begin_object(), error);
  }
  bool on_object_end(size_t, Error& error) {
    keys_.pop_back();
    return pass(sink_.end_object(), error);
  }
  bool on_array_begin(Error& error) { return pass(sink_.begin_array(), error); }
  bool on_array_end(size_t, Error& error) { return pass(sink_.end_array(), error); }
  bool on_key_part(json::string_view part, size_t, Error&) { return append(part); }
  bool on_key(json::string_view part, size_t, Error& error) {
    append(part);
    if (!keys_.back().insert(text_).second) {
      return pass(data_loss("the key " + in_quotes(text_) + " appears twice in one object"), error);
    }
    return finish_text(sink_.key(text_), error);
  }
  bool on_string_part(json::string_view part, size_t, Error&) { return append(part); }
  bool on_string(json::string_view part, size_t, Error& error) {
    append(part);
    return finish_text(sink_.value(std::string_view(text_)), error);
  }
  bool on_number_part(json::string_view part, Error&) { return append(part); }
  bool on_int64(int64_t number, json::string_view, Error& error) { return finish_text(sink_.value(number), error); }
  bool on_uint64(uint64_t number, json::string_view, Error& error) {
    if (number <= INT64_MAX) return finish_text(sink_.value(static_cast<int64_t>(number)), error);
    return finish_text(sink_.value(static_cast<double>(number)), error);
  }
  bool on_double(double approximate, json::string_view part, Error& error) {
    append(part);
    // Boost 1.81 may be one unit off in the last place; the text decides.
    double number = approximate;
    std::from_chars(text_.data(), text_.data() + text_.size(), number);
    return finish_text(sink_.value(number), error);
  }
  bool on_bool(bool value, Error& error) { return pass(sink_.value(value), error); }
  bool on_null(Error& error) { return pass(sink_.value(std::monostate{}), error); }
  bool on_comment_part(json::string_view, Error&) { return true; }
  bool on_comment(json::string_view, Error&) { return true; }

 private:
  bool append(json::string_view part) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool finish_text(Status status, Error& error) {
    text_.clear();
    return pass(std::move(status), error);
  }
  bool pass(Status status, Error& error) {
    if (status.ok()) return true;
    status_ = std::move(status);
    error = boost::system::errc::make_error_code(boost::system::errc::operation_canceled);
    return false;
  }

  JsonSink& sink_;
  Status status_;
  std::string text_;
  std::vector<std::unordered_set<std::string>> keys_;  // of each open object
};

}  // namespace

Status scan_json(std::string_view text, JsonSink& sink) {
  json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  json::basic_parser<Events> parser(options, sink);
  Error error;
  const size_t consumed = parser.write_some(false, text.data(), text.size(), error);
  if (!parser.handler().status().ok()) return parser.handler().status();
  if (error == json::error::too_deep) {
    return data_loss("JSON nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
  }
  if (error) return data_loss("not valid JSON at byte " + std::to_string(consumed) + ": " + error.message());
  if (consumed < text.size()) return data_loss("text after the end of the JSON at byte " + std::to_string(consumed));
  return {};
}

}  // namespace tribar::format
