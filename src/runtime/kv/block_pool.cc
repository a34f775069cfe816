#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "runtime/kv/kv_allocator.h"

namespace tribar::runtime {
namespace {

class BlockPool final : public KvAllocator {
 public:
  BlockPool(int64_t blocks, int64_t block_tokens) : block_tokens_(block_tokens), free_(static_cast<size_t>(blocks)) {
    std::iota(free_.begin(), free_.end(), 0);  // ascending numbers are a heap already
    usage_ = {blocks, blocks};
  }

  int64_t match_prefix(std::span<const int32_t>, BlockTable*) override { return 0; }

  Status grow(BlockTable* table, int64_t tokens) override {
    const int64_t wanted = (tokens + block_tokens_ - 1) / block_tokens_ - static_cast<int64_t>(table->blocks.size());
    if (wanted <= 0) return {};
    if (wanted > usage_.free_blocks) {
      return resource_exhausted("the KV cache has " + std::to_string(usage_.free_blocks) + " free blocks of " +
                                std::to_string(block_tokens_) + " tokens, " + std::to_string(wanted) + " are needed");
    }
    for (int64_t i = 0; i < wanted; ++i) {
      std::pop_heap(free_.begin(), free_.end(), std::greater<>());
      table->blocks.push_back(free_.back());
      free_.pop_back();
    }
    usage_.free_blocks -= wanted;
    return {};
  }

  void commit(const BlockTable&, std::span<const int32_t>) override {}

  void release(BlockTable* table) override {
    for (const int32_t block : table->blocks) {
      free_.push_back(block);
      std::push_heap(free_.begin(), free_.end(), std::greater<>());
    }
    usage_.free_blocks += static_cast<int64_t>(table->blocks.size());
    table->blocks.clear();
  }

  KvUsage usage() const override { return usage_; }

 private:
  int64_t block_tokens_;
  std::vector<int32_t> free_;  // a heap with the lowest number on top; its room never grows after construction
  KvUsage usage_;
};

}  // namespace

std::unique_ptr<KvAllocator> make_block_pool(int64_t blocks, int64_t block_tokens) {
  TRIBAR_CHECK(blocks >= 0 && blocks <= INT32_MAX && block_tokens > 0);
  return std::make_unique<BlockPool>(blocks, block_tokens);
}

}  // namespace tribar::runtime
