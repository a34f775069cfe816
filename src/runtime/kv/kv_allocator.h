// KvAllocator: which blocks of the cache belong to which sequence.
//
//   BlockTable table;
//   int64_t cached = allocator->match_prefix(ids, &table);       // tokens that need no computing (0 without a
//   prefix cache) if (!allocator->grow(&table, tokens).ok()) ...preempt...     // room for that many positions
//   allocator->commit(table, ids);                               // these tokens are now in the cache and may be shared
//   allocator->release(&table);
//
// Blocks are handed out lowest number first, so that runs repeat. grow either succeeds whole or changes nothing.
// Errors: grow is kResourceExhausted when no block is free.
// Threads: one caller (the engine's step loop).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"

namespace tribar::runtime {

struct BlockTable {
  std::vector<int32_t> blocks;  // of positions [i * block_tokens, (i + 1) * block_tokens)
};

struct KvUsage {
  int64_t total_blocks = 0;
  int64_t free_blocks = 0;
};

class KvAllocator {
 public:
  virtual ~KvAllocator() = default;
  virtual int64_t match_prefix(std::span<const int32_t> ids, BlockTable* table) = 0;
  virtual Status grow(BlockTable* table, int64_t tokens) = 0;
  virtual void commit(const BlockTable& table, std::span<const int32_t> ids) = 0;
  virtual void release(BlockTable* table) = 0;
  virtual KvUsage usage() const = 0;
};

// Blocks from one free list, no sharing between sequences.
std::unique_ptr<KvAllocator> make_block_pool(int64_t blocks, int64_t block_tokens);

}  // namespace tribar::runtime
