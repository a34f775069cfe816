#include "engine/sampler/logit_scan.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

namespace tribar::engine {
namespace {

constexpr size_t kLanes = 16;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct BlockScan {
  float max;
  bool valid;
};

// Independent lanes, so that the compiler may vectorise a maximum without reordering anything.
BlockScan scan_block(const float* values) {
  std::array<float, kLanes> lane;
  std::array<int32_t, kLanes> bad{};
  lane.fill(-kInfinity);
  for (size_t i = 0; i < kLogitBlock; i += kLanes) {
    for (size_t j = 0; j < kLanes; ++j) {
      const float value = values[i + j];
      lane[j] = lane[j] < value ? value : lane[j];
      bad[j] |= value < kInfinity ? 0 : 1;  // also true for NaN
    }
  }
  BlockScan scan{-kInfinity, true};
  for (size_t j = 0; j < kLanes; ++j) {
    scan.max = std::max(scan.max, lane[j]);
    scan.valid = scan.valid && bad[j] == 0;
  }
  return scan;
}

}  // namespace

LogitScan scan_logits(std::span<const float> row, std::vector<float>* block_max) {
  LogitScan scan;
  block_max->clear();
  if (row.empty()) return scan;
  scan.valid = true;
  for (size_t begin = 0; begin < row.size(); begin += kLogitBlock) {
    BlockScan block;
    if (begin + kLogitBlock <= row.size()) {
      block = scan_block(&row[begin]);
    } else {
      std::array<float, kLogitBlock> tail;
      tail.fill(-kInfinity);
      std::copy(row.begin() + static_cast<std::ptrdiff_t>(begin), row.end(), tail.begin());
      block = scan_block(tail.data());
    }
    scan.valid = scan.valid && block.valid;
    block_max->push_back(block.max);
  }
  if (!scan.valid) return scan;
  const auto best_block = std::max_element(block_max->begin(), block_max->end());
  const auto begin = row.begin() + (best_block - block_max->begin()) * static_cast<std::ptrdiff_t>(kLogitBlock);
  scan.best = static_cast<int32_t>(std::find(begin, row.end(), *best_block) - row.begin());
  return scan;
}

float kth_largest_bound(std::vector<float>* block_max, int64_t k) {
  if (k > static_cast<int64_t>(block_max->size())) return -kInfinity;
  const auto kth = block_max->begin() + (k - 1);
  std::nth_element(block_max->begin(), kth, block_max->end(), std::greater<>());
  return *kth;
}

}  // namespace tribar::engine
