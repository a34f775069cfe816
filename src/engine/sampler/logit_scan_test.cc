#include "engine/sampler/logit_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "engine/sampler/philox.h"

namespace tribar::engine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> random_row(size_t size, uint64_t seed) {
  std::vector<float> row(size);
  for (size_t i = 0; i < size; ++i) row[i] = static_cast<float>(uniform(seed, i) * 40 - 20);
  return row;
}

TEST(LogitScan, FindsTheLowestOfTheLargest) {
  std::vector<float> block_max;
  for (size_t size = 1; size < 300; ++size) {
    std::vector<float> row = random_row(size, size);
    const auto best = std::max_element(row.begin(), row.end());
    EXPECT_EQ(scan_logits(row, &block_max).best, best - row.begin());
    row.back() = *best;
    EXPECT_EQ(scan_logits(row, &block_max).best, std::max_element(row.begin(), row.end()) - row.begin());
  }
}

TEST(LogitScan, SeesEveryBrokenValue) {
  std::vector<float> block_max;
  for (size_t size : {1, 63, 64, 65, 200}) {
    for (size_t i = 0; i < size; ++i) {
      std::vector<float> row = random_row(size, size);
      row[i] = std::numeric_limits<float>::quiet_NaN();
      EXPECT_FALSE(scan_logits(row, &block_max).valid);
      row[i] = kInfinity;
      EXPECT_FALSE(scan_logits(row, &block_max).valid);
      row[i] = -kInfinity;
      EXPECT_TRUE(scan_logits(row, &block_max).valid);
    }
  }
  EXPECT_FALSE(scan_logits({}, &block_max).valid);
}

TEST(LogitScan, BoundIsReachedByAtLeastK) {
  std::vector<float> block_max;
  for (int64_t k : {1, 2, 7, 40, 79, 80, 1000}) {
    const std::vector<float> row = random_row(5000, 3);
    scan_logits(row, &block_max);
    const float bound = kth_largest_bound(&block_max, k);
    EXPECT_GE(std::count_if(row.begin(), row.end(), [&](float x) { return x >= bound; }), k);
    std::vector<float> sorted = row;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    EXPECT_LE(bound, sorted[static_cast<size_t>(k - 1)]);
  }
}

}  // namespace
}  // namespace tribar::engine
