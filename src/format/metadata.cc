#include "format/metadata.h"

#include <cmath>
#include <cstdio>

#include "format/printable.h"

namespace tribar::format {
namespace {

constexpr double kMaxExactInt = 9007199254740992.0;  // 2^53

std::optional<int64_t> as_int(double value) {
  if (!(std::fabs(value) <= kMaxExactInt) || std::trunc(value) != value) return std::nullopt;
  return static_cast<int64_t>(value);
}

template <typename T>
const T* get_as(const Metadata& metadata, std::string_view key) {
  const MetaValue* value = metadata.find(key);
  return value != nullptr ? std::get_if<T>(value) : nullptr;
}

// A JSON array with no elements has the type of none and of all.
bool is_empty_array(const MetaValue& value) {
  return std::visit(
      [](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (requires { typename T::value_type; } && !std::is_same_v<T, std::string>) {
          return held.empty();
        } else {
          return false;
        }
      },
      value);
}

Status wrong_type(const Metadata& metadata, std::string_view key, std::string_view wanted) {
  const MetaValue* value = metadata.find(key);
  if (value == nullptr) return data_loss("the key " + in_quotes(key) + " is missing");
  return data_loss("the key " + in_quotes(key) + " should be " + std::string(wanted) + " but is " + describe(*value));
}

std::string count_of(size_t count, std::string_view noun) {
  return "an array of " + std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

}  // namespace

void Metadata::set(std::string key, MetaValue value) { entries_.insert_or_assign(std::move(key), std::move(value)); }

bool Metadata::contains(std::string_view key) const { return find(key) != nullptr; }

bool Metadata::contains_object(std::string_view prefix) const {
  if (contains(prefix)) return true;
  const std::string below = std::string(prefix) + ".";
  const auto next = entries_.lower_bound(below);
  return next != entries_.end() && next->first.starts_with(below);
}

const MetaValue* Metadata::find(std::string_view key) const {
  const auto found = entries_.find(key);
  return found != entries_.end() ? &found->second : nullptr;
}

std::optional<bool> Metadata::get_bool(std::string_view key) const {
  const bool* value = get_as<bool>(*this, key);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<int64_t> Metadata::get_int(std::string_view key) const {
  if (const int64_t* value = get_as<int64_t>(*this, key)) return *value;
  const double* value = get_as<double>(*this, key);
  return value != nullptr ? as_int(*value) : std::nullopt;
}

std::optional<double> Metadata::get_double(std::string_view key) const {
  if (const double* value = get_as<double>(*this, key)) return *value;
  const int64_t* value = get_as<int64_t>(*this, key);
  return value != nullptr ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

std::optional<std::string_view> Metadata::get_string(std::string_view key) const {
  const std::string* value = get_as<std::string>(*this, key);
  return value != nullptr ? std::optional<std::string_view>(*value) : std::nullopt;
}

std::optional<std::vector<int64_t>> Metadata::get_ints(std::string_view key) const {
  if (const auto* ints = get_as<std::vector<int64_t>>(*this, key)) return *ints;
  const MetaValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  std::vector<int64_t> out;
  if (const auto* doubles = std::get_if<std::vector<double>>(value)) {
    out.reserve(doubles->size());
    for (const double item : *doubles) {
      const std::optional<int64_t> exact = as_int(item);
      if (!exact) return std::nullopt;
      out.push_back(*exact);
    }
    return out;
  }
  return is_empty_array(*value) ? std::optional(out) : std::nullopt;
}

std::optional<std::vector<double>> Metadata::get_doubles(std::string_view key) const {
  if (const auto* doubles = get_as<std::vector<double>>(*this, key)) return *doubles;
  const MetaValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* ints = std::get_if<std::vector<int64_t>>(value))
    return std::vector<double>(ints->begin(), ints->end());
  return is_empty_array(*value) ? std::optional(std::vector<double>()) : std::nullopt;
}

std::optional<std::vector<bool>> Metadata::get_bools(std::string_view key) const {
  if (const auto* bools = get_as<std::vector<bool>>(*this, key)) return *bools;
  const MetaValue* value = find(key);
  return value != nullptr && is_empty_array(*value) ? std::optional(std::vector<bool>()) : std::nullopt;
}

const std::vector<std::string>* Metadata::get_strings(std::string_view key) const {
  static const std::vector<std::string> none;
  if (const auto* strings = get_as<std::vector<std::string>>(*this, key)) return strings;
  const MetaValue* value = find(key);
  return value != nullptr && is_empty_array(*value) ? &none : nullptr;
}

Result<int64_t> Metadata::require_int(std::string_view key) const {
  if (const std::optional<int64_t> value = get_int(key)) return *value;
  return wrong_type(*this, key, "an integer");
}

Result<double> Metadata::require_double(std::string_view key) const {
  if (const std::optional<double> value = get_double(key)) return *value;
  return wrong_type(*this, key, "a number");
}

Result<std::string> Metadata::require_string(std::string_view key) const {
  if (const std::optional<std::string_view> value = get_string(key)) return std::string(*value);
  return wrong_type(*this, key, "a string");
}

std::string describe(const MetaValue& value) {
  struct Describe {
    std::string operator()(bool held) const { return held ? "the boolean true" : "the boolean false"; }
    std::string operator()(int64_t held) const { return "the integer " + std::to_string(held); }
    std::string operator()(double held) const { return "the number " + number(held); }
    std::string operator()(const std::string& held) const { return "the string " + in_quotes(held); }
    std::string operator()(const std::vector<bool>& held) const { return count_of(held.size(), "boolean"); }
    std::string operator()(const std::vector<int64_t>& held) const { return count_of(held.size(), "integer"); }
    std::string operator()(const std::vector<double>& held) const { return count_of(held.size(), "number"); }
    std::string operator()(const std::vector<std::string>& held) const { return count_of(held.size(), "string"); }
  };
  return std::visit(Describe{}, value);
}

}  // namespace tribar::format
