#include "format/split_name.h"

#include <cstdio>

namespace tribar::format {
namespace {

constexpr size_t kDigits = 5;
constexpr std::string_view kPattern = "-00001-of-00003";

std::optional<uint32_t> five_digits(std::string_view text) {
  uint32_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<uint32_t>(c - '0');
  }
  return value;
}

}  // namespace

std::string SplitName::part_name(uint32_t part, std::string_view extension) const {
  char middle[64];
  std::snprintf(middle, sizeof middle, "-%05u-of-%05u", part, count);
  return prefix + middle + std::string(extension);
}

std::optional<SplitName> parse_split_name(std::string_view name, std::string_view extension) {
  if (!name.ends_with(extension)) return std::nullopt;
  name.remove_suffix(extension.size());
  if (name.size() < kPattern.size()) return std::nullopt;
  const std::string_view tail = name.substr(name.size() - kPattern.size());
  if (tail[0] != '-' || tail.substr(1 + kDigits, 4) != "-of-") return std::nullopt;
  const std::optional<uint32_t> number = five_digits(tail.substr(1, kDigits));
  const std::optional<uint32_t> count = five_digits(tail.substr(tail.size() - kDigits));
  if (!number || !count || *number < 1 || *number > *count) return std::nullopt;
  return SplitName{std::string(name.substr(0, name.size() - kPattern.size())), *number, *count};
}

}  // namespace tribar::format
