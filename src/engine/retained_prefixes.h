// RetainedPrefixes: a KvAllocator that keeps the blocks of sequences that ended, in case a later prompt begins with the
// same tokens: the next turn of a chat then computes only what is new.
//
//   RetainedPrefixes allocator(block_pool, 1);
//   allocator.match_prefix(ids, &table);     // the kept blocks with the longest common beginning, taken over
//   allocator.release(&table);               // keeps what was committed
//
// Keeps at most `limit` sequences and gives the oldest back as soon as grow finds no free block, so a kept sequence
// never costs anyone room. Whole sequences, one taker each: blocks are not shared.
// Threads: one caller. `pool` is borrowed.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "runtime/kv/kv_allocator.h"

namespace tribar::engine {

class RetainedPrefixes final : public runtime::KvAllocator {
 public:
  RetainedPrefixes(runtime::KvAllocator* pool, int64_t limit) : pool_(pool), limit_(limit) {}
  ~RetainedPrefixes() override;
  RetainedPrefixes(const RetainedPrefixes&) = delete;
  RetainedPrefixes& operator=(const RetainedPrefixes&) = delete;

  int64_t match_prefix(std::span<const int32_t> ids, runtime::BlockTable* table) override;
  Status grow(runtime::BlockTable* table, int64_t tokens) override;
  void commit(const runtime::BlockTable& table, std::span<const int32_t> ids) override;
  void release(runtime::BlockTable* table) override;
  // Kept blocks count as free: they are given up on demand.
  runtime::KvUsage usage() const override;

 private:
  struct Entry {
    std::vector<int32_t> ids;
    runtime::BlockTable table;
  };
  bool release_oldest();

  runtime::KvAllocator* pool_;
  int64_t limit_;
  std::deque<Entry> kept_;  // oldest first
  // Tokens committed by living sequences, by the first block of their table.
  std::unordered_map<int32_t, std::vector<int32_t>> committed_;
};

}  // namespace tribar::engine
