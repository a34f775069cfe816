#include "engine/calibration.h"

#include <algorithm>
#include <string_view>

#include "base/status.h"

namespace tribar::engine {
namespace {

// Words, names, numbers, another language, code: what a model's channels react to differently.
constexpr std::string_view kPassage =
    "In 1887 the lighthouse keeper wrote: \"Fog again; 14 ships waited.\" Her son asked why water freezes at 0 °C. "
    "Il répondit qu'il fallait compter.\n"
    "```python\n"
    "def mean(xs):\n"
    "    return sum(xs) / max(len(xs), 1)  # 今天\n"
    "```\n"
    "So the answer is 42, provided that every step above holds.";

std::vector<int32_t> spread(int64_t vocab_size, int64_t count) {
  // A stride that shares no factor with common vocabulary sizes visits all regions.
  constexpr int64_t kStride = 7919;
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < count; ++i) ids.push_back(static_cast<int32_t>(i * kStride % vocab_size));
  return ids;
}

}  // namespace

std::vector<int32_t> calibration_ids(const text::Tokenizer* tokenizer, int64_t vocab_size, int64_t most) {
  TRIBAR_CHECK(vocab_size > 0 && most > 0);
  std::vector<int32_t> ids;
  if (tokenizer != nullptr && !tokenizer->encode(kPassage, {.add_special = true}, &ids).ok()) ids.clear();
  const bool foreign = std::any_of(ids.begin(), ids.end(), [&](int32_t id) { return id < 0 || id >= vocab_size; });
  if (ids.empty() || foreign) return spread(vocab_size, most);
  ids.resize(std::min(ids.size(), static_cast<size_t>(most)));
  return ids;
}

}  // namespace tribar::engine
