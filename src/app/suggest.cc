#include "app/suggest.h"

#include <algorithm>
#include <utility>

namespace tribar::app {
namespace {

// [j]: the distance of `a` to the first j characters of `b`.
std::vector<size_t> distances_to_beginnings(std::string_view a, std::string_view b) {
  // Three rows of the table: two back (for transpositions), the one before, the current one.
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last;
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) { return distances_to_beginnings(a, b).back(); }

std::vector<std::string> closest(std::string_view word, const std::vector<std::string>& candidates, size_t limit) {
  std::vector<std::pair<size_t, std::string>> found;
  for (const std::string& candidate : candidates) {
    const std::vector<size_t> distances = distances_to_beginnings(word, candidate);
    const size_t whole = distances.back();
    const size_t beginning = *std::ranges::min_element(distances);
    const bool is_like_beginning = word.size() >= 3 && beginning * 4 <= word.size();
    if (is_like_beginning) {
      found.emplace_back(beginning, candidate);
    } else if (whole * 3 <= std::max(word.size(), candidate.size())) {
      found.emplace_back(whole, candidate);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> words;
  for (size_t i = 0; i < std::min(limit, found.size()); ++i) words.push_back(std::move(found[i].second));
  return words;
}

}  // namespace tribar::app
