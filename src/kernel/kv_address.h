// Where a position's key and value lie in the paged cache.
//
//   const int64_t slot = kv_slot(cache, sequence, head, position);
//   key   = K + slot * k_dim          // elements; positions of one block and head are consecutive slots
//   value = V + slot * v_dim
//
// Threads: pure function.
#pragma once

#include "kernel/args.h"

namespace tribar::kernel {

inline int64_t kv_slot(const KvView& cache, const SequenceView& sequence, int64_t kv_head, int64_t position) {
  const int64_t block = sequence.blocks[position / cache.block_tokens];
  return (block * cache.kv_heads + kv_head) * cache.block_tokens + position % cache.block_tokens;
}

}  // namespace tribar::kernel
