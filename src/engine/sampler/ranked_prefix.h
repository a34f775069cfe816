// ranked_prefix: the shortest prefix of a ranking whose weights reach a share of the total. What top_p and typical have
// in common.
//
//   rank = order(candidate), smaller is better; the result is the rank and id of the last one to keep
//
// Sorts only as much of the ranking as the prefix needs: chunks of growing size are split off with nth_element, because
// the nucleus of a 262,144-token vocabulary is usually a few hundred tokens.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tribar::engine {

struct Ranked {
  double rank = 0;  // smaller is better
  int32_t id = 0;   // breaks ties
  double weight = 0;
  bool operator<(const Ranked& other) const { return rank != other.rank ? rank < other.rank : id < other.id; }
};

// The last member of the prefix: the first one with which the sum of weights reaches `wanted`, or the very last.
inline Ranked ranked_prefix(std::vector<Ranked>* ranking, double wanted) {
  constexpr int64_t kFirstChunk = 128;
  auto begin = ranking->begin();
  double sum = 0;
  for (int64_t chunk = kFirstChunk;; chunk *= 4) {
    const auto end = begin + std::min<int64_t>(chunk, ranking->end() - begin);
    if (end != ranking->end()) std::nth_element(begin, end, ranking->end());
    std::sort(begin, end);
    for (auto it = begin; it != end; ++it) {
      sum += it->weight;
      if (sum >= wanted) return *it;
    }
    if (end == ranking->end()) return ranking->back();
    begin = end;
  }
}

}  // namespace tribar::engine
