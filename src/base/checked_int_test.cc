#include "base/checked_int.h"

#include <gtest/gtest.h>

#include <limits>

namespace tribar {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

TEST(CheckedInt, AddAndMultiply) {
  EXPECT_EQ(checked_add<uint64_t>(kMax - 1, 1), kMax);
  EXPECT_FALSE(checked_add<uint64_t>(kMax, 1).has_value());
  EXPECT_EQ(checked_mul<uint64_t>(1ULL << 32, 1ULL << 31), 1ULL << 63);
  EXPECT_FALSE(checked_mul<uint64_t>(1ULL << 32, 1ULL << 32).has_value());
  EXPECT_FALSE(checked_add<int32_t>(std::numeric_limits<int32_t>::min(), -1).has_value());
}

TEST(CheckedInt, AlignUp) {
  EXPECT_EQ(checked_align_up(0, 32), 0U);
  EXPECT_EQ(checked_align_up(1, 32), 32U);
  EXPECT_EQ(checked_align_up(64, 32), 64U);
  EXPECT_FALSE(checked_align_up(1, 0).has_value());
  EXPECT_FALSE(checked_align_up(1, 24).has_value());
  EXPECT_FALSE(checked_align_up(kMax, 32).has_value());
}

TEST(CheckedInt, CastKeepsOnlyWhatFits) {
  EXPECT_EQ(checked_cast<int8_t>(127), int8_t{127});
  EXPECT_FALSE(checked_cast<int8_t>(128).has_value());
  EXPECT_FALSE(checked_cast<uint32_t>(-1).has_value());
  EXPECT_FALSE(checked_cast<int64_t>(kMax).has_value());
}

}  // namespace
}  // namespace tribar
