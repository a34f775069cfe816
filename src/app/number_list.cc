#include "app/number_list.h"

#include <charconv>
#include <string>

namespace tribar::app {
namespace {

constexpr int64_t kLargest = int64_t{1} << 24;
constexpr size_t kMostNumbers = 1000;

// Takes digits off the front of `text`.
bool take_number(std::string_view* text, int64_t* value) {
  const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), *value);
  if (error != std::errc() || *value < 0 || *value > kLargest) return false;
  text->remove_prefix(static_cast<size_t>(stop - text->data()));
  return true;
}

// FIRST, FIRST-LAST, FIRST-LAST+STEP or FIRST-LAST*FACTOR.
bool append_range(std::string_view part, std::vector<int64_t>* numbers) {
  int64_t first = 0, last = 0, step = 1;
  if (!take_number(&part, &first)) return false;
  if (part.empty()) {
    numbers->push_back(first);
    return true;
  }
  if (part.front() != '-') return false;
  part.remove_prefix(1);
  if (!take_number(&part, &last) || last < first) return false;
  const bool multiplies = part.starts_with('*');
  if (!part.empty()) {
    if (!multiplies && part.front() != '+') return false;
    part.remove_prefix(1);
    if (!take_number(&part, &step) || !part.empty()) return false;
  }
  if (step < (multiplies ? 2 : 1) || (multiplies && first == 0)) return false;
  for (int64_t n = first; n <= last && numbers->size() < kMostNumbers; n = multiplies ? n * step : n + step) {
    numbers->push_back(n);
  }
  return true;
}

}  // namespace

Result<std::vector<int64_t>> parse_number_list(std::string_view text) {
  std::vector<int64_t> numbers;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, comma - begin);
    if (!append_range(part, &numbers)) {
      return invalid_argument("'" + std::string(part) +
                              "' is not a number or a range like 128, 0-4096+1024 or 64-512*2");
    }
    if (numbers.size() >= kMostNumbers) return invalid_argument("a list may have fewer than 1000 numbers");
    begin = comma + 1;
  }
  return numbers;
}

}  // namespace tribar::app
