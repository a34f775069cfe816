#include "model/block/rope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace tribar::model {
namespace {

RopeConfig base() {
  RopeConfig c;
  c.rot_dim = 16;
  c.theta = 10000.0;
  return c;
}

TEST(RopeTable, PlainFrequencies) {
  const graph::RopeTableAttrs t = rope_table_attrs(base());
  ASSERT_EQ(t.inv_freq.size(), 8u);
  EXPECT_EQ(t.inv_freq[0], 1.0f);
  EXPECT_FLOAT_EQ(t.inv_freq[4], 0.01f);
  EXPECT_FLOAT_EQ(t.inv_freq[7], std::pow(10000.0f, -14.0f / 16.0f));
  EXPECT_TRUE(t.inv_freq_long.empty());
  EXPECT_EQ(t.switch_length, 0);
}

TEST(RopeTable, LinearDividesAll) {
  RopeConfig c = base();
  c.scaling = RopeScaling::kLinear;
  c.factor = 8.0;
  EXPECT_FLOAT_EQ(rope_table_attrs(c).inv_freq[0], 0.125f);
  EXPECT_FLOAT_EQ(rope_table_attrs(c).inv_freq[4], 0.00125f);
}

TEST(RopeTable, DynamicIsLeftToTheKernel) {
  RopeConfig c = base();
  c.scaling = RopeScaling::kDynamic;
  c.factor = 2.0;
  c.original_length = 64;
  const graph::RopeTableAttrs t = rope_table_attrs(c);
  EXPECT_EQ(t.inv_freq[0], 1.0f);
  EXPECT_EQ(t.dynamic_length, 64);
  EXPECT_EQ(t.dynamic_factor, 2.0f);
  EXPECT_EQ(t.dynamic_base, 10000.0f);
}

// Divisors 1, 1, 2.44226, 8 are what the converter writes into rope_freqs.weight for this configuration.
TEST(RopeTable, Llama3HasThreeZones) {
  RopeConfig c;
  c.rot_dim = 32;
  c.theta = 500000.0;
  const graph::RopeTableAttrs plain = rope_table_attrs(c);
  c.scaling = RopeScaling::kLlama3;
  c.factor = 8.0;
  c.original_length = 64;
  const graph::RopeTableAttrs t = rope_table_attrs(c);
  const float expected[] = {1.0f, 1.0f, 2.44226f, 8.0f};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(plain.inv_freq[i] / t.inv_freq[i], expected[i], 1e-5f) << i;
}

TEST(RopeTable, YarnKeepsShortWavesAndInterpolatesLongOnes) {
  RopeConfig c = base();
  c.scaling = RopeScaling::kYarn;
  c.factor = 4.0;
  c.original_length = 64;
  c.beta_fast = 4.0;
  c.attention_factor = yarn_attention_factor(4.0);
  const graph::RopeTableAttrs plain = rope_table_attrs(base());
  const graph::RopeTableAttrs t = rope_table_attrs(c);
  // dimension(r) = 16 ln(64 / 2πr) / (2 ln 10000): 0.81 → 0 and 2.02 → 3, so that dimensions 0..3 blend in thirds.
  for (size_t i = 0; i < 8; ++i) {
    const double blend = std::min(1.0, static_cast<double>(i) / 3.0);
    EXPECT_NEAR(t.inv_freq[i] / plain.inv_freq[i], 1.0 - 0.75 * blend, 1e-6) << i;
  }
  EXPECT_FLOAT_EQ(t.attention_factor, 1.1386294f);
  c.truncate = false;
  const double low = 16 * std::log(64 / (4 * 2 * std::numbers::pi)) / (2 * std::log(10000.0));
  const double high = 16 * std::log(64 / (2 * std::numbers::pi)) / (2 * std::log(10000.0));
  EXPECT_NEAR(rope_table_attrs(c).inv_freq[1] / plain.inv_freq[1], 1.0 - 0.75 * (1 - low) / (high - low), 1e-6);
}

TEST(RopeTable, LongRopeHasTwoLists) {
  RopeConfig c = base();
  c.scaling = RopeScaling::kLongRope;
  c.original_length = 32;
  c.attention_factor = longrope_attention_factor(4.0, 32);
  c.short_factors = {1, 1, 1, 1, 1, 1, 1, 2};
  c.long_factors = {4, 1, 1, 1, 1, 1, 1, 1};
  const graph::RopeTableAttrs t = rope_table_attrs(c);
  EXPECT_EQ(t.inv_freq[0], 1.0f);
  EXPECT_EQ(t.inv_freq_long[0], 0.25f);
  EXPECT_FLOAT_EQ(t.inv_freq[7] * 2.0f, t.inv_freq_long[7]);
  EXPECT_EQ(t.switch_length, 32);
  EXPECT_FLOAT_EQ(t.attention_factor, std::sqrt(1.4f));
  EXPECT_EQ(t.attention_factor, t.attention_factor_long);
}

}  // namespace
}  // namespace tribar::model
