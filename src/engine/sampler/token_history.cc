#include "engine/sampler/token_history.h"

namespace tribar::engine {

TokenHistory::TokenHistory(std::span<const int32_t> prompt_ids) {
  for (int32_t id : prompt_ids) entry(id);
}

void TokenHistory::append(int32_t output_id) { ++entry(output_id).output_count; }

TokenHistory::Entry& TokenHistory::entry(int32_t id) {
  const auto [position, added] = index_.try_emplace(id, entries_.size());
  if (added) entries_.push_back({id, 0});
  return entries_[position->second];
}

}  // namespace tribar::engine
