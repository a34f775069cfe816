// Names of files that are part of a set: PREFIX-00001-of-00003.EXT.
//
//   parse_split_name("m-00001-of-00003.gguf", ".gguf")   // {prefix "m", number 1, count 3}
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tribar::format {

struct SplitName {
  std::string prefix;   // may hold a directory
  uint32_t number = 0;  // from 1
  uint32_t count = 0;

  // The name of part `part` of the same set.
  std::string part_name(uint32_t part, std::string_view extension) const;
};

// nullopt if the name is no part of a set, or its number is not in 1..count.
std::optional<SplitName> parse_split_name(std::string_view name, std::string_view extension);

}  // namespace tribar::format
