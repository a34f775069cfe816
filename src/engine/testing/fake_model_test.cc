#include "engine/testing/fake_model.h"

#include <algorithm>

namespace tribar::engine {
namespace {

uint64_t mix(uint64_t h) {
  h ^= h >> 31;
  h *= 0x9E3779B97F4A7C15;
  return h ^ (h >> 29);
}

uint64_t cached_entry(int32_t token, int64_t position, bool long_rope) {
  return mix(static_cast<uint64_t>(token) * 1000003 + static_cast<uint64_t>(position) * 2 + (long_rope ? 1 : 0) + 1);
}

void fill_row(uint64_t hash, std::span<float> row) {
  for (size_t i = 0; i < row.size(); ++i) {
    row[i] = static_cast<float>(mix(hash + i * 0x9E3779B97F4A7C15) >> 40) / static_cast<float>(1 << 22);
  }
}

}  // namespace

Result<runtime::Logits> FakeExecutor::run(const runtime::StepInput& input) {
  step_tokens.push_back(static_cast<int64_t>(input.ids.size()));
  logits_.assign(input.logit_rows.size() * static_cast<size_t>(vocab_), 0.0f);
  size_t next_row = 0;
  size_t offset = 0;
  for (const runtime::SequenceSlice& slice : input.sequences) {
    for (int64_t i = 0; i < slice.token_count; ++i) {
      const int64_t position = slice.start + i;
      const auto block = static_cast<int64_t>(slice.blocks[static_cast<size_t>(position / block_tokens_)]);
      cache_.at(static_cast<size_t>(block * block_tokens_ + position % block_tokens_)) =
          cached_entry(input.ids[offset], position, slice.rope_length > long_rope_length);
      if (next_row < input.logit_rows.size() && static_cast<size_t>(input.logit_rows[next_row]) == offset) {
        const auto row =
            std::span(logits_).subspan(next_row * static_cast<size_t>(vocab_), static_cast<size_t>(vocab_));
        fill_row(hash_prefix(slice, position + 1), row);
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

uint64_t FakeExecutor::hash_prefix(const runtime::SequenceSlice& slice, int64_t tokens) const {
  uint64_t hash = 0;
  for (int64_t p = 0; p < tokens; ++p) {
    const auto block = static_cast<int64_t>(slice.blocks[static_cast<size_t>(p / block_tokens_)]);
    hash = mix(hash + cache_.at(static_cast<size_t>(block * block_tokens_ + p % block_tokens_)));
  }
  return hash;
}

std::vector<int32_t> fake_greedy(int64_t vocab, std::vector<int32_t> prompt, int64_t tokens, int64_t long_rope_length) {
  std::vector<int32_t> output;
  std::vector<float> row(static_cast<size_t>(vocab));
  for (int64_t n = 0; n < tokens; ++n) {
    const bool long_rope = static_cast<int64_t>(prompt.size()) > long_rope_length;
    uint64_t hash = 0;
    for (size_t p = 0; p < prompt.size(); ++p) {
      hash = mix(hash + cached_entry(prompt[p], static_cast<int64_t>(p), long_rope));
    }
    fill_row(hash, row);
    const auto best = static_cast<int32_t>(std::max_element(row.begin(), row.end()) - row.begin());
    output.push_back(best);
    prompt.push_back(best);
  }
  return output;
}

}  // namespace tribar::engine
