#include "app/inspect_report.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <map>
#include <type_traits>
#include <variant>

#include "app/json_writer.h"
#include "format/printable.h"

namespace tribar::app {
namespace {

using format::MetaValue;
using format::printable;
using format::TensorEntry;

constexpr size_t kShortArray = 8;
constexpr size_t kShortText = 80;

template <typename T>
constexpr bool kIsArray = !std::is_same_v<T, std::string> && requires { typename T::value_type; };

size_t shown_elements(size_t count, InspectLength length) {
  return length == InspectLength::kFull ? count : std::min(count, kShortArray);
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

template <typename T>
std::string scalar_text(const T& value, size_t max_bytes) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_same_v<T, int64_t>)
    return std::to_string(value);
  else if constexpr (std::is_same_v<T, double>)
    return number_text(value);
  else
    return printable(value, max_bytes);
}

template <typename T>
std::string array_text(const std::vector<T>& values, InspectLength length) {
  std::string text = "[" + std::to_string(values.size()) + "]";
  const size_t shown = shown_elements(values.size(), length);
  for (size_t i = 0; i < shown; ++i) {
    const T& value = values[i];
    text += (i == 0 ? " " : ", ") + scalar_text(value, kShortText);
  }
  return shown < values.size() ? text + ", ..." : text;
}

std::string value_text(const MetaValue& value, InspectLength length) {
  return std::visit(
      [&](const auto& held) {
        if constexpr (kIsArray<std::decay_t<decltype(held)>>) {
          return array_text(held, length);
        } else {
          return scalar_text(held, length == InspectLength::kFull ? SIZE_MAX : kShortText);
        }
      },
      value);
}

struct TypeTotal {
  size_t tensors = 0;
  uint64_t bytes = 0;
};

std::map<std::string_view, TypeTotal> totals_by_type(const format::WeightIndex& weights) {
  std::map<std::string_view, TypeTotal> totals;
  for (const auto& [name, tensor] : weights.entries()) {
    TypeTotal& total = totals[dtype_name(tensor.dtype)];
    ++total.tensors;
    total.bytes += tensor.bytes.size();
  }
  return totals;
}

std::string shape_text(const TensorEntry& tensor) {
  std::string text;
  for (const int64_t dimension : tensor.shape) text += (text.empty() ? "" : " x ") + std::to_string(dimension);
  return text.empty() ? "scalar" : text;
}

std::string_view container_name(format::Container container) {
  return container == format::Container::kGguf ? "gguf" : "safetensors";
}

// One line of a table: two columns left, the rest as it is.
void append_row(std::string& out, const std::string& name, size_t width, const std::string& rest) {
  out += "  " + name + std::string(name.size() < width ? width - name.size() : 0, ' ') + "  " + rest + "\n";
}

void append_metadata(std::string& out, const format::Metadata& metadata, InspectLength length) {
  size_t width = 0;
  for (const auto& [key, value] : metadata.entries())
    width = std::max(width, std::min<size_t>(printable(key).size(), 48));
  out += "\nmetadata (" + std::to_string(metadata.entries().size()) + " keys)\n";
  for (const auto& [key, value] : metadata.entries()) append_row(out, printable(key), width, value_text(value, length));
}

void append_tensors(std::string& out, const format::WeightIndex& weights) {
  size_t width = 0;
  for (const auto& [name, tensor] : weights.entries()) width = std::max(width, printable(name).size());
  out += "\ntensors (" + std::to_string(weights.entries().size()) + ", " + format_bytes(weights.total_bytes()) + ")\n";
  for (const auto& [name, tensor] : weights.entries()) {
    char type[16];
    std::snprintf(type, sizeof type, "%-7s", std::string(dtype_name(tensor.dtype)).c_str());
    append_row(out, printable(name), width, type + shape_text(tensor) + "  " + format_bytes(tensor.bytes.size()));
  }
  out += "\ntypes\n";
  for (const auto& [type, total] : totals_by_type(weights)) {
    append_row(out, std::string(type), 7, std::to_string(total.tensors) + " tensors, " + format_bytes(total.bytes));
  }
}

// The template line by line, indented.
void append_template(std::string& out, std::string_view source) {
  out += "\nchat template\n";
  while (!source.empty()) {
    const size_t end = std::min(source.find('\n'), source.size());
    out += "  " + printable(source.substr(0, end), SIZE_MAX) + "\n";
    source.remove_prefix(std::min(end + 1, source.size()));
  }
}

void put(JsonWriter& json, bool value) { json.boolean(value); }
void put(JsonWriter& json, int64_t value) { json.integer(value); }
void put(JsonWriter& json, double value) { json.number(value, 17); }
void put(JsonWriter& json, const std::string& value) { json.string(format::valid_utf8(value)); }

template <typename T>
void put_array(JsonWriter& json, const std::vector<T>& values, InspectLength length) {
  const size_t shown = shown_elements(values.size(), length);
  const bool cut = shown < values.size();
  if (cut) json.begin_object().key("count").unsigned_integer(values.size()).key("first");
  json.begin_array();
  for (size_t i = 0; i < shown; ++i) {
    const T& value = values[i];
    put(json, value);
  }
  json.end_array();
  if (cut) json.end_object();
}

void put_metadata(JsonWriter& json, const format::Metadata& metadata, InspectLength length) {
  json.key("metadata").begin_object();
  for (const auto& [key, value] : metadata.entries()) {
    json.key(format::valid_utf8(key));
    std::visit(
        [&](const auto& held) {
          if constexpr (kIsArray<std::decay_t<decltype(held)>>) {
            put_array(json, held, length);
          } else {
            put(json, held);
          }
        },
        value);
  }
  json.end_object();
}

void put_tensors(JsonWriter& json, const format::WeightIndex& weights) {
  json.key("tensors").begin_array();
  for (const auto& [name, tensor] : weights.entries()) {
    json.begin_object().key("name").string(format::valid_utf8(name)).key("dtype").string(dtype_name(tensor.dtype));
    json.key("shape").begin_array();
    for (const int64_t dimension : tensor.shape) json.integer(dimension);
    json.end_array();
    json.key("size_bytes").unsigned_integer(tensor.bytes.size()).key("file").integer(tensor.file);
    json.key("offset_bytes").unsigned_integer(tensor.offset_bytes).end_object();
  }
  json.end_array();
  json.key("types").begin_object();
  for (const auto& [type, total] : totals_by_type(weights)) {
    json.key(type).begin_object().key("tensors").unsigned_integer(total.tensors);
    json.key("size_bytes").unsigned_integer(total.bytes).end_object();
  }
  json.end_object();
  json.key("tensor_bytes").unsigned_integer(weights.total_bytes());
}

}  // namespace

std::string format_bytes(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  // 999.5 would print as "1e+03": it belongs to the next unit.
  while (value >= 999.5 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %s", value, kUnits[unit]);
  return text;
}

std::string inspect_text(const format::ModelFiles& files, const std::string& chat_template, InspectLength length) {
  std::string out;
  for (const format::FileInfo& file : files.files()) {
    out += printable(file.path, 4096) + " (" + std::string(container_name(files.container())) + ", " +
           format_bytes(file.size_bytes) + ")\n";
  }
  append_metadata(out, files.metadata(), length);
  append_tensors(out, files.weights());
  if (chat_template.empty()) return out + "\nno chat template\n";
  append_template(out, chat_template);
  return out;
}

std::string inspect_json(const format::ModelFiles& files, const std::string& chat_template, InspectLength length) {
  JsonWriter json;
  json.begin_object().key("files").begin_array();
  for (const format::FileInfo& file : files.files()) {
    json.begin_object().key("path").string(format::valid_utf8(file.path));
    json.key("size_bytes").unsigned_integer(file.size_bytes).end_object();
  }
  json.end_array().key("container").string(container_name(files.container()));
  put_metadata(json, files.metadata(), length);
  put_tensors(json, files.weights());
  json.key("chat_template");
  if (chat_template.empty()) {
    json.null();
  } else {
    json.string(format::valid_utf8(chat_template));
  }
  json.end_object();
  return json.text() + "\n";
}

}  // namespace tribar::app
