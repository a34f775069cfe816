// TokenHistory: which tokens a sequence has seen and how often, kept up to date token by token for the penalties.
//
//   TokenHistory h(prompt_ids);
//   h.append(token);
//   for (const TokenHistory::Entry& e : h.entries()) ...
//
// Threads: one caller.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tribar::engine {

class TokenHistory {
 public:
  struct Entry {
    int32_t id = 0;
    int64_t output_count = 0;  // 0: only the prompt has it
  };

  TokenHistory() = default;
  explicit TokenHistory(std::span<const int32_t> prompt_ids);
  void append(int32_t output_id);
  // Each token once, in order of first appearance.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  Entry& entry(int32_t id);

  std::vector<Entry> entries_;
  std::unordered_map<int32_t, size_t> index_;
};

}  // namespace tribar::engine
