// Metadata: the key-value part of a model file, whatever the container.
//
//   metadata.get_int("llama.block_count")           // GGUF key
//   metadata.get_string("rope_parameters.rope_type") // config.json, nested objects flattened with dots
//
// Values keep the type they had in the file. JSON null and absent are the same thing; arrays hold scalars of one kind
// (an array of objects is flattened as key.0.name); integers are int64, GGUF u64 above int64 max is refused by the
// reader.
// `get_*` returns nullopt when the key is absent *or* has another type (an integral double counts as an int, an int as
// a double); `require_*` turns that into a Status that names the key and what was found.
// Threads: immutable after reading; any number of readers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace tribar::format {

using MetaValue = std::variant<bool, int64_t, double, std::string, std::vector<bool>, std::vector<int64_t>,
                               std::vector<double>, std::vector<std::string>>;

class Metadata {
 public:
  void set(std::string key, MetaValue value);
  bool contains(std::string_view key) const;
  // True if `prefix` itself or any key below "prefix." exists.
  bool contains_object(std::string_view prefix) const;
  const MetaValue* find(std::string_view key) const;

  std::optional<bool> get_bool(std::string_view key) const;
  std::optional<int64_t> get_int(std::string_view key) const;
  std::optional<double> get_double(std::string_view key) const;
  std::optional<std::string_view> get_string(std::string_view key) const;
  // Arrays; a scalar is not an array of one. Numbers convert between int and double as above. An empty array has any
  // type.
  std::optional<std::vector<int64_t>> get_ints(std::string_view key) const;
  std::optional<std::vector<double>> get_doubles(std::string_view key) const;
  std::optional<std::vector<bool>> get_bools(std::string_view key) const;
  const std::vector<std::string>* get_strings(std::string_view key) const;

  Result<int64_t> require_int(std::string_view key) const;
  Result<double> require_double(std::string_view key) const;
  Result<std::string> require_string(std::string_view key) const;

  const std::map<std::string, MetaValue, std::less<>>& entries() const { return entries_; }

 private:
  std::map<std::string, MetaValue, std::less<>> entries_;
};

// "an array of 3 strings", "the integer 7": for error messages and `inspect`.
std::string describe(const MetaValue& value);

}  // namespace tribar::format
