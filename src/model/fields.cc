#include "model/fields.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tribar::model {
namespace {

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

bool is_neutral(const format::MetaValue& value, const RefusedKey& rule) {
  if (const bool* flag = std::get_if<bool>(&value)) return !*flag;
  if (const std::string* text = std::get_if<std::string>(&value)) return text->empty();
  const int64_t* integer = std::get_if<int64_t>(&value);
  const double* real = std::get_if<double>(&value);
  if (integer == nullptr && real == nullptr) return false;
  const double number = integer != nullptr ? static_cast<double>(*integer) : *real;
  return (rule.zero_is_off && number == 0) || (rule.one_is_off && number == 1);
}

}  // namespace

void Fields::fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

void Fields::wrong_type(std::string_view key, std::string_view expected) {
  const format::MetaValue* value = find(key);
  if (value == nullptr) return fail(data_loss(full(key) + " is missing"));
  fail(data_loss(full(key) + " is " + format::describe(*value) + ", expected " + std::string(expected)));
}

int64_t Fields::integer(std::string_view key, IntRange range, std::optional<int64_t> fallback) {
  if (!has(key) && fallback) return *fallback;
  const std::optional<int64_t> value = metadata_.get_int(full(key));
  if (!value) {
    wrong_type(key, "an integer");
    return range.least;
  }
  if (*value < range.least || *value > range.most) {
    fail(data_loss(full(key) + " is " + std::to_string(*value) + ", allowed are " + std::to_string(range.least) +
                   " to " + std::to_string(range.most)));
    return range.least;
  }
  return *value;
}

double Fields::real(std::string_view key, RealRange range, std::optional<double> fallback) {
  if (!has(key) && fallback) return *fallback;
  const std::optional<double> value = metadata_.get_double(full(key));
  if (!value) {
    wrong_type(key, "a number");
    return range.least;
  }
  if (!(*value >= range.least && *value <= range.most)) {  // also a NaN
    fail(data_loss(full(key) + " is " + shown(*value) + ", allowed are " + shown(range.least) + " to " +
                   shown(range.most)));
    return range.least;
  }
  return *value;
}

bool Fields::flag(std::string_view key, bool fallback) {
  if (!has(key)) return fallback;
  const std::optional<bool> value = metadata_.get_bool(full(key));
  if (!value) wrong_type(key, "true or false");
  return value.value_or(fallback);
}

std::string Fields::word(std::string_view key, std::string_view fallback) {
  if (!has(key)) return std::string(fallback);
  const std::optional<std::string_view> value = metadata_.get_string(full(key));
  if (!value) wrong_type(key, "a string");
  return std::string(value.value_or(fallback));
}

int64_t Fields::uniform_integer(std::string_view key, IntRange range, std::optional<int64_t> fallback) {
  const format::MetaValue* value = find(key);
  if (value == nullptr || std::get_if<std::vector<int64_t>>(value) == nullptr) return integer(key, range, fallback);
  const std::vector<int64_t> all = integers(key, range);
  if (all.empty()) {
    wrong_type(key, "an integer");
    return range.least;
  }
  if (std::any_of(all.begin(), all.end(), [&](int64_t v) { return v != all.front(); })) {
    refuse_value(key, "different from layer to layer");
  }
  return all.front();
}

std::vector<double> Fields::reals(std::string_view key, RealRange range, size_t count) {
  const std::optional<std::vector<double>> values = metadata_.get_doubles(full(key));
  std::vector<double> good(count, range.least);
  if (!values || values->size() != count) {
    wrong_type(key, "an array of " + std::to_string(count) + " numbers");
    return good;
  }
  for (const double value : *values) {
    if (value >= range.least && value <= range.most) continue;
    fail(data_loss(full(key) + " holds " + shown(value) + ", allowed are " + shown(range.least) + " to " +
                   shown(range.most)));
    return good;
  }
  return *values;
}

std::vector<int64_t> Fields::integers(std::string_view key, IntRange range) {
  const std::optional<std::vector<int64_t>> values = metadata_.get_ints(full(key));
  if (!values) {
    wrong_type(key, "an array of integers");
    return {};
  }
  for (const int64_t value : *values) {
    if (value >= range.least && value <= range.most) continue;
    fail(data_loss(full(key) + " holds " + std::to_string(value) + ", allowed are " + std::to_string(range.least) +
                   " to " + std::to_string(range.most)));
    return {};
  }
  return *values;
}

std::vector<std::string> Fields::words(std::string_view key) {
  const std::vector<std::string>* values = metadata_.get_strings(full(key));
  if (values != nullptr) return *values;
  wrong_type(key, "an array of strings");
  return {};
}

void Fields::refuse(std::span<const RefusedKey> keys) {
  for (const RefusedKey& rule : keys) {
    const format::MetaValue* value = find(rule.key);
    if (value != nullptr ? !is_neutral(*value, rule) : has_object(rule.key)) {
      refuse_value(rule.key, value != nullptr ? format::describe(*value) : "set");
    }
  }
}

void Fields::refuse_value(std::string_view key, std::string_view what) {
  fail(unimplemented(full(key) + " is " + std::string(what) + ", which is not supported"));
}

}  // namespace tribar::model
