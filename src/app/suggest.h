// Suggestions for a misspelt word: "did you mean".
//
//   closest("--temprature", {"--temperature", "--top-k"})   // {"--temperature"}
//
// Edit distance with transpositions (optimal string alignment); a candidate counts when at most a third of the longer
// word differs, or when `word` is a beginning of it but for at most a quarter of its letters (names of models are long,
// and people type how they begin). Best first, ties in the candidates' order.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tribar::app {

size_t edit_distance(std::string_view a, std::string_view b);
std::vector<std::string> closest(std::string_view word, const std::vector<std::string>& candidates, size_t limit = 3);

}  // namespace tribar::app
