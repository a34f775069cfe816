#include "app/top_tokens.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tribar::app {

TopTokens top_tokens(std::span<const float> logits, int64_t count) {
  std::vector<int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto end = order.begin() + std::clamp<int64_t>(count, 0, static_cast<int64_t>(order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](int32_t a, int32_t b) {
    const float x = logits[static_cast<size_t>(a)], y = logits[static_cast<size_t>(b)];
    return x != y ? x > y : a < b;
  });
  TopTokens top;
  for (auto it = order.begin(); it != end; ++it) top.emplace_back(*it, logits[static_cast<size_t>(*it)]);
  return top;
}

int32_t best_token(std::span<const float> logits) {
  return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

bool all_finite(std::span<const float> logits) {
  return std::all_of(logits.begin(), logits.end(), [](float x) { return std::isfinite(x); });
}

}  // namespace tribar::app
