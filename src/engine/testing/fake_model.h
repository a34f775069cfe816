// FakeModel: an Executor and a KvAllocator for tests of everything above them, without weights.
//
// The next token's logits are a hash of all tokens before it, and those tokens are read back through the block table from a
// fake KV cache: a wrong block, position, start or order changes the text. Rope lengths enter the hash of the token that is
// cached with them, as they do in a real model.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "runtime/executor.h"
#include "runtime/kv/kv_allocator.h"

namespace tribar::engine {

class FakeAllocator final : public runtime::KvAllocator {
 public:
  FakeAllocator(int64_t blocks, int64_t block_tokens) : total_(blocks), block_tokens_(block_tokens) {
    for (int64_t i = 0; i < blocks; ++i) free_.insert(static_cast<int32_t>(i));
  }
  int64_t match_prefix(std::span<const int32_t>, runtime::BlockTable*) override { return 0; }
  Status grow(runtime::BlockTable* table, int64_t tokens) override {
    const int64_t wanted = (tokens + block_tokens_ - 1) / block_tokens_ - static_cast<int64_t>(table->blocks.size());
    if (wanted > static_cast<int64_t>(free_.size())) return resource_exhausted("no free block");
    for (int64_t i = 0; i < wanted; ++i) table->blocks.push_back(free_.extract(free_.begin()).value());
    return {};
  }
  void commit(const runtime::BlockTable&, std::span<const int32_t>) override {}
  void release(runtime::BlockTable* table) override {
    for (int32_t block : table->blocks) TRIBAR_CHECK_MSG(free_.insert(block).second, "block released twice");
    table->blocks.clear();
  }
  runtime::KvUsage usage() const override { return {total_, static_cast<int64_t>(free_.size())}; }

 private:
  int64_t total_;
  int64_t block_tokens_;
  std::set<int32_t> free_;  // lowest number first
};

class FakeExecutor final : public runtime::Executor {
 public:
  FakeExecutor(int64_t vocab, int64_t blocks, int64_t block_tokens)
      : vocab_(vocab), block_tokens_(block_tokens), cache_(static_cast<size_t>(blocks * block_tokens), 0) {}

  Result<runtime::Logits> run(const runtime::StepInput& input) override;
  void set_observer(Observer) override {}
  runtime::MemoryReport memory() const override { return {}; }

  // A sequence longer than this is hashed with other "rope frequencies"; see model::ModelInfo::recompute_length.
  int64_t long_rope_length = INT64_MAX;
  // Changes logits before they are handed out.
  std::function<void(std::span<float> row)> poison;
  std::vector<int64_t> step_tokens;  // of each run

 private:
  uint64_t hash_prefix(const runtime::SequenceSlice& slice, int64_t tokens) const;

  int64_t vocab_;
  int64_t block_tokens_;
  std::vector<uint64_t> cache_;  // one entry a position: hash of (token, position, rope regime)
  std::vector<float> logits_;
};

// What FakeExecutor generates greedily after `prompt`, computed without cache, scheduler or sampler.
std::vector<int32_t> fake_greedy(int64_t vocab, std::vector<int32_t> prompt, int64_t tokens,
                                 int64_t long_rope_length = INT64_MAX);

}  // namespace tribar::engine
