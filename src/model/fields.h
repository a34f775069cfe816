// Fields: reads hyper-parameters out of Metadata and remembers the first failure, so that a reader is a list of
// assignments.
//
//   Fields f(metadata, "llama.");
//   config.heads = f.integer("attention.head_count", {1, 4096});
//   config.theta = f.real("rope.freq_base", {1.0, 1e12}, 10000.0);   // absent: 10000
//   if (!f.status().ok()) return f.status();
//
// Every value is checked against the stated range; after a failure each call returns a value inside its range, so that
// code which goes on is safe, and what it makes is thrown away.
// Errors: kDataLoss (missing, wrong type, out of range), kUnimplemented (refused switch); the message names the key.
// Threads: one caller.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "format/metadata.h"

namespace tribar::model {

struct IntRange {
  int64_t least = 0;
  int64_t most = 0;
};
struct RealRange {
  double least = 0;
  double most = 0;
};

// A switch that a family may carry and that is not implemented: any value but the neutral one is refused by name.
// With neither `zero_is_off` nor `one_is_off` every value is refused; false and an empty string are always neutral.
struct RefusedKey {
  std::string_view key;
  bool zero_is_off = false;
  bool one_is_off = false;
};

class Fields {
 public:
  Fields(const format::Metadata& metadata, std::string prefix) : metadata_(metadata), prefix_(std::move(prefix)) {}

  bool has(std::string_view key) const { return metadata_.contains(full(key)); }
  bool has_object(std::string_view key) const { return metadata_.contains_object(full(key)); }

  // Without a fallback the key is required.
  int64_t integer(std::string_view key, IntRange range, std::optional<int64_t> fallback = std::nullopt);
  double real(std::string_view key, RealRange range, std::optional<double> fallback = std::nullopt);
  bool flag(std::string_view key, bool fallback);
  std::string word(std::string_view key, std::string_view fallback);
  // An integer, or an array that repeats it (GGUF writes some hyper-parameters per layer).
  int64_t uniform_integer(std::string_view key, IntRange range, std::optional<int64_t> fallback = std::nullopt);
  std::vector<double> reals(std::string_view key, RealRange range, size_t count);
  std::vector<int64_t> integers(std::string_view key, IntRange range);
  std::vector<std::string> words(std::string_view key);
  // Nullopt when the key is absent or no array of true and false.
  std::optional<std::vector<bool>> flags(std::string_view key) const { return metadata_.get_bools(full(key)); }

  void refuse(std::span<const RefusedKey> keys);
  // "key is WHAT, which is not supported": for values that a reader understands and Tribar does not compute.
  void refuse_value(std::string_view key, std::string_view what);
  void refuse_word(std::string_view key, const std::string& word) { refuse_value(key, format::describe(word)); }
  void fail(Status status);  // the first one counts; an OK status changes nothing
  const Status& status() const { return status_; }

 private:
  std::string full(std::string_view key) const { return prefix_ + std::string(key); }
  const format::MetaValue* find(std::string_view key) const { return metadata_.find(full(key)); }
  void wrong_type(std::string_view key, std::string_view expected);

  const format::Metadata& metadata_;
  std::string prefix_;
  Status status_;
};

}  // namespace tribar::model
