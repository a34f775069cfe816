#include "engine/retained_prefixes.h"

#include <algorithm>
#include <utility>

namespace tribar::engine {

RetainedPrefixes::~RetainedPrefixes() {
  while (release_oldest()) {
  }
}

int64_t RetainedPrefixes::match_prefix(std::span<const int32_t> ids, runtime::BlockTable* table) {
  auto best = kept_.end();
  std::ptrdiff_t best_tokens = 0;
  for (auto it = kept_.begin(); it != kept_.end(); ++it) {
    const auto end = std::mismatch(ids.begin(), ids.end(), it->ids.begin(), it->ids.end()).first;
    if (end - ids.begin() <= best_tokens) continue;
    best = it;
    best_tokens = end - ids.begin();
  }
  if (best == kept_.end()) return pool_->match_prefix(ids, table);
  *table = std::move(best->table);
  committed_[table->blocks.front()] = {ids.begin(), ids.begin() + best_tokens};
  kept_.erase(best);
  return best_tokens;
}

Status RetainedPrefixes::grow(runtime::BlockTable* table, int64_t tokens) {
  Status status = pool_->grow(table, tokens);
  while (!status.ok() && release_oldest()) status = pool_->grow(table, tokens);
  return status;
}

void RetainedPrefixes::commit(const runtime::BlockTable& table, std::span<const int32_t> ids) {
  pool_->commit(table, ids);
  if (limit_ == 0 || table.blocks.empty()) return;
  // A sequence only grows, except when it is computed again from the start; only the new tokens are copied.
  std::vector<int32_t>& known = committed_[table.blocks.front()];
  if (known.size() > ids.size()) known.clear();
  known.insert(known.end(), ids.begin() + static_cast<std::ptrdiff_t>(known.size()), ids.end());
}

void RetainedPrefixes::release(runtime::BlockTable* table) {
  if (table->blocks.empty()) return;
  auto committed = committed_.extract(table->blocks.front());
  if (committed.empty() || committed.mapped().empty()) {
    pool_->release(table);
    return;
  }
  if (static_cast<int64_t>(kept_.size()) == limit_) release_oldest();
  kept_.push_back({std::move(committed.mapped()), std::exchange(*table, {})});
}

runtime::KvUsage RetainedPrefixes::usage() const {
  runtime::KvUsage usage = pool_->usage();
  for (const Entry& entry : kept_) usage.free_blocks += static_cast<int64_t>(entry.table.blocks.size());
  return usage;
}

bool RetainedPrefixes::release_oldest() {
  if (kept_.empty()) return false;
  pool_->release(&kept_.front().table);
  kept_.pop_front();
  return true;
}

}  // namespace tribar::engine
