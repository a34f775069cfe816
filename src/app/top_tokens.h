// The largest logits of a row, largest first, the lower id first among equals.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tribar::app {

using TopTokens = std::vector<std::pair<int32_t, float>>;
TopTokens top_tokens(std::span<const float> logits, int64_t count);
// The first of them. `logits` is not empty.
int32_t best_token(std::span<const float> logits);
bool all_finite(std::span<const float> logits);

}  // namespace tribar::app
