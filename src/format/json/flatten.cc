#include "format/json/flatten.h"

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "format/json/json_scan.h"
#include "format/printable.h"

namespace tribar::format {
namespace {

// The alternatives of MetaValue that are one value; monostate is null.
using Scalar = std::variant<std::monostate, bool, int64_t, double, std::string>;

Scalar owned(const JsonScalar& value) {
  return std::visit(
      [](const auto& held) -> Scalar {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string_view>) {
          return std::string(held);
        } else {
          return held;
        }
      },
      value);
}

template <typename T>
std::optional<MetaValue> array_of(const std::vector<Scalar>& items) {
  std::vector<T> out;
  out.reserve(items.size());
  for (const Scalar& item : items) {
    const T* held = std::get_if<T>(&item);
    if (held == nullptr) return std::nullopt;
    out.push_back(*held);
  }
  return MetaValue(std::move(out));
}

std::optional<MetaValue> array_of_numbers(const std::vector<Scalar>& items) {
  std::vector<double> out;
  out.reserve(items.size());
  for (const Scalar& item : items) {
    if (const auto* integer = std::get_if<int64_t>(&item)) {
      out.push_back(static_cast<double>(*integer));
    } else if (const auto* number = std::get_if<double>(&item)) {
      out.push_back(*number);
    } else {
      return std::nullopt;
    }
  }
  return MetaValue(std::move(out));
}

// One value for an array of scalars of one kind, nullopt for a mixture.
std::optional<MetaValue> uniform_array(const std::vector<Scalar>& items) {
  if (auto ints = array_of<int64_t>(items)) return ints;
  if (auto numbers = array_of_numbers(items)) return numbers;
  if (auto strings = array_of<std::string>(items)) return strings;
  return array_of<bool>(items);
}

class Flattener : public JsonSink {
 public:
  Flattener(const std::string& prefix, Metadata& out) : prefix_(prefix), out_(out) {}

  Status begin_object() override {
    open(Kind::kObject);
    return {};
  }
  Status begin_array() override {
    if (open_.empty()) return data_loss("the JSON is an array, not an object");
    open(Kind::kArray);
    return {};
  }
  Status end_object() override {
    open_.pop_back();
    return {};
  }
  Status end_array() override {
    Frame frame = std::move(open_.back());
    open_.pop_back();
    if (!frame.has_nested) {
      if (std::optional<MetaValue> array = uniform_array(frame.items)) return store(frame.path, std::move(*array));
    }
    for (size_t i = 0; i < frame.items.size(); ++i) {
      TRIBAR_RETURN_IF_ERROR(store_scalar(frame.path + "." + std::to_string(i), std::move(frame.items[i])));
    }
    return {};
  }
  Status key(std::string_view key) override {
    open_.back().key = key;
    return {};
  }
  Status value(const JsonScalar& value) override {
    if (open_.empty()) return data_loss("the JSON is a single value, not an object");
    Frame& frame = open_.back();
    if (frame.kind == Kind::kObject) return store_scalar(child_path(frame), owned(value));
    frame.items.push_back(owned(value));
    return {};
  }

 private:
  enum class Kind : uint8_t { kObject, kArray };
  struct Frame {
    Kind kind;
    std::string path;           // "" is the root
    std::string key;            // of an object: the latest
    std::vector<Scalar> items;  // of an array: nested ones hold their place as null
    bool has_nested = false;
  };

  static std::string child_path(const Frame& frame) {
    const std::string last = frame.kind == Kind::kObject ? frame.key : std::to_string(frame.items.size());
    return frame.path.empty() ? last : frame.path + "." + last;
  }

  void open(Kind kind) {
    std::string path;
    if (!open_.empty()) {
      Frame& parent = open_.back();
      path = child_path(parent);
      if (parent.kind == Kind::kArray) {
        parent.has_nested = true;
        parent.items.emplace_back();
      }
    }
    open_.push_back({kind, std::move(path), {}, {}, false});
  }

  Status store_scalar(const std::string& path, Scalar value) {
    return std::visit(
        [&](auto held) -> Status {
          if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
            return {};
          } else {
            return store(path, std::move(held));
          }
        },
        std::move(value));
  }

  Status store(const std::string& path, MetaValue value) {
    std::string key = prefix_ + path;
    if (out_.contains(key)) return data_loss("the key " + in_quotes(key) + " is given twice");
    out_.set(std::move(key), std::move(value));
    return {};
  }

  const std::string& prefix_;
  Metadata& out_;
  std::vector<Frame> open_;
};

}  // namespace

Status flatten_json(std::string_view text, const std::string& prefix, Metadata& out) {
  if (text.size() > kMaxConfigBytes) return resource_exhausted("is larger than 1 MiB");
  Flattener flattener(prefix, out);
  return scan_json(text, flattener);
}

}  // namespace tribar::format
