// FakeModel: an Executor and a KvAllocator for tests of everything above them, without weights.
//
// The next token's logits are a hash of all tokens before it, and those tokens are read back through the block table
// from a fake KV cache: a wrong block, position, start or order changes the text. Rope lengths enter the hash of the
// token that is cached with them, as they do in a real model.
#pragma once

#include <algorithm>
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

namespace fake {

inline uint64_t mix(uint64_t h) {
  h ^= h >> 31;
  h *= 0x9E3779B97F4A7C15;
  return h ^ (h >> 29);
}

inline uint64_t cached_entry(int32_t token, int64_t position, bool long_rope) {
  return mix(static_cast<uint64_t>(token) * 1000003 + static_cast<uint64_t>(position) * 2 + (long_rope ? 1 : 0) + 1);
}

inline void fill_row(uint64_t hash, std::span<float> row) {
  for (size_t i = 0; i < row.size(); ++i) {
    row[i] = static_cast<float>(mix(hash + i * 0x9E3779B97F4A7C15) >> 40) / static_cast<float>(1 << 22);
  }
}

}  // namespace fake

inline Result<runtime::Logits> FakeExecutor::run(const runtime::StepInput& input) {
  step_tokens.push_back(static_cast<int64_t>(input.ids.size()));
  logits_.assign(input.logit_rows.size() * static_cast<size_t>(vocab_), 0.0f);
  size_t next_row = 0;
  size_t offset = 0;
  for (const runtime::SequenceSlice& slice : input.sequences) {
    for (int64_t i = 0; i < slice.token_count; ++i) {
      const int64_t position = slice.start + i;
      const auto block = static_cast<int64_t>(slice.blocks[static_cast<size_t>(position / block_tokens_)]);
      cache_.at(static_cast<size_t>(block * block_tokens_ + position % block_tokens_)) =
          fake::cached_entry(input.ids[offset], position, slice.rope_length > long_rope_length);
      if (next_row < input.logit_rows.size() && static_cast<size_t>(input.logit_rows[next_row]) == offset) {
        const auto row =
            std::span(logits_).subspan(next_row * static_cast<size_t>(vocab_), static_cast<size_t>(vocab_));
        fake::fill_row(hash_prefix(slice, position + 1), row);
        if (poison) poison(row);
        ++next_row;
      }
      ++offset;
    }
  }
  TRIBAR_CHECK(offset == input.ids.size() && next_row == input.logit_rows.size());
  runtime::Logits logits;
  logits.view.data = logits_.data();
  logits.view.rows = static_cast<int64_t>(next_row);
  logits.view.cols = vocab_;
  logits.view.stride_bytes = vocab_ * static_cast<int64_t>(sizeof(float));
  return logits;
}

inline uint64_t FakeExecutor::hash_prefix(const runtime::SequenceSlice& slice, int64_t tokens) const {
  uint64_t hash = 0;
  for (int64_t p = 0; p < tokens; ++p) {
    const auto block = static_cast<int64_t>(slice.blocks[static_cast<size_t>(p / block_tokens_)]);
    hash = fake::mix(hash + cache_.at(static_cast<size_t>(block * block_tokens_ + p % block_tokens_)));
  }
  return hash;
}

// What FakeExecutor generates greedily after `prompt`, computed without cache, scheduler or sampler.
inline std::vector<int32_t> fake_greedy(int64_t vocab, std::vector<int32_t> prompt, int64_t tokens,
                                        int64_t long_rope_length = INT64_MAX) {
  std::vector<int32_t> output;
  std::vector<float> row(static_cast<size_t>(vocab));
  for (int64_t n = 0; n < tokens; ++n) {
    const bool long_rope = static_cast<int64_t>(prompt.size()) > long_rope_length;
    uint64_t hash = 0;
    for (size_t p = 0; p < prompt.size(); ++p) {
      hash = fake::mix(hash + fake::cached_entry(prompt[p], static_cast<int64_t>(p), long_rope));
    }
    fake::fill_row(hash, row);
    const auto best = static_cast<int32_t>(std::max_element(row.begin(), row.end()) - row.begin());
    output.push_back(best);
    prompt.push_back(best);
  }
  return output;
}

}  // namespace tribar::engine
