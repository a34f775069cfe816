#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernel/kernel_test_data.h"

namespace tribar::kernel {
namespace {

constexpr float kEpsilon = std::numeric_limits<float>::epsilon();

std::vector<float> frequencies(int64_t rot_dim, double base) {
  std::vector<float> out;
  for (int64_t i = 0; i < rot_dim / 2; ++i) {
    out.push_back(static_cast<float>(std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(rot_dim))));
  }
  return out;
}

TEST(RopeTable, HoldsCosinesThenSines) {
  const std::vector<float> inv_freq = frequencies(8, 10000.0);
  const std::vector<int32_t> positions = {0, 1, 1000, 100000};
  for (Isa isa : tested_isas()) {
    Matrix table(4, 8);
    RopeTableArgs args{
        .positions = positions.data(), .inv_freq = inv_freq, .attention_factor = 1.5f, .y = table.view()};
    run_sharded(kernel_table(isa).rope_table, args, 3);
    for (int64_t t = 0; t < 4; ++t) {
      for (int64_t i = 0; i < 4; ++i) {
        const double angle = static_cast<double>(inv_freq[static_cast<size_t>(i)]) * positions[static_cast<size_t>(t)];
        EXPECT_NEAR(table.at(t, i), 1.5 * std::cos(angle), 2e-7) << isa_name(isa);
        EXPECT_NEAR(table.at(t, 4 + i), 1.5 * std::sin(angle), 2e-7) << isa_name(isa);
      }
    }
  }
}

TEST(RopeTable, ChoosesTheListByLength) {
  const std::vector<float> short_list = {1.0f, 0.5f};
  const std::vector<float> long_list = {0.25f, 0.125f};
  const std::vector<int32_t> positions = {3, 3};
  const std::vector<int32_t> lengths = {32, 33};
  for (Isa isa : tested_isas()) {
    Matrix table(2, 4);
    RopeTableArgs args{.positions = positions.data(),
                       .lengths = lengths.data(),
                       .inv_freq = short_list,
                       .inv_freq_long = long_list,
                       .attention_factor_long = 2.0f,
                       .switch_length = 32,
                       .y = table.view()};
    run_sharded(kernel_table(isa).rope_table, args, 1);
    EXPECT_NEAR(table.at(0, 1), std::cos(1.5), 1e-7) << isa_name(isa);
    EXPECT_NEAR(table.at(1, 1), 2.0 * std::cos(0.375), 2e-7) << isa_name(isa);
  }
}

// transformers' dynamic NTK: base' = base * (f * len / max - (f - 1)) ^ (dim / (dim - 2)).
TEST(RopeTable, DynamicNtkGrowsTheBaseBeyondTheTrainedLength) {
  const std::vector<float> inv_freq = frequencies(8, 10000.0);
  const std::vector<int32_t> positions = {70, 70};
  const std::vector<int32_t> lengths = {64, 96};
  const double base = 10000.0 * std::pow(4.0 * 96 / 64 - 3.0, 8.0 / 6.0);
  for (Isa isa : tested_isas()) {
    Matrix table(2, 8);
    RopeTableArgs args{.positions = positions.data(),
                       .lengths = lengths.data(),
                       .inv_freq = inv_freq,
                       .dynamic_length = 64,
                       .dynamic_factor = 4.0f,
                       .dynamic_base = 10000.0f,
                       .y = table.view()};
    run_sharded(kernel_table(isa).rope_table, args, 1);
    EXPECT_NEAR(table.at(0, 3), std::cos(70 * std::pow(10000.0, -0.75)), 1e-6) << isa_name(isa);
    EXPECT_NEAR(table.at(1, 3), std::cos(70 * std::pow(base, -0.75)), 1e-6) << isa_name(isa);
  }
}

TEST(Rope, RotatesPairsOfBothKinds) {
  Matrix x(1, 4);
  for (int64_t i = 0; i < 4; ++i) x.at(0, i) = static_cast<float>(i + 1);
  Matrix table(1, 4);
  table.at(0, 0) = 0.0f;  // a quarter turn, then none
  table.at(0, 1) = 1.0f;
  table.at(0, 2) = 1.0f;
  table.at(0, 3) = 0.0f;
  for (Isa isa : {Isa::kReference, Isa::kGeneric}) {
    Matrix y(1, 4);
    run_sharded(kernel_table(isa).rope, {x.view(), table.view(), 1, 4, RopePairing::kHalves, y.view()}, 1);
    EXPECT_EQ(std::vector<float>(y.view().f32(0), y.view().f32(0) + 4), (std::vector<float>{-3, 2, 1, 4}));
    run_sharded(kernel_table(isa).rope, {x.view(), table.view(), 1, 4, RopePairing::kAdjacent, y.view()}, 1);
    EXPECT_EQ(std::vector<float>(y.view().f32(0), y.view().f32(0) + 4), (std::vector<float>{-2, 1, 3, 4}));
  }
}

TEST(Rope, MatchesReferenceForEveryRotaryWidth) {
  constexpr int64_t kTokens = 3;
  constexpr int64_t kHeads = 3;
  for (int64_t rot_dim = 2; rot_dim <= 130; rot_dim += 2) {
    const int64_t head_dim = rot_dim + (rot_dim % 3) * 5;  // some with a part that is only copied
    const Matrix x = random_matrix(kTokens, kHeads * head_dim, static_cast<uint32_t>(rot_dim));
    const std::vector<float> inv_freq = frequencies(rot_dim, 10000.0);
    const std::vector<int32_t> positions = {0, 17, 4000};
    Matrix table(kTokens, rot_dim);
    RopeTableArgs table_args{.positions = positions.data(), .inv_freq = inv_freq, .y = table.view()};
    run_sharded(kernel_table(Isa::kReference).rope_table, table_args, 1);
    for (RopePairing pairing : {RopePairing::kHalves, RopePairing::kAdjacent}) {
      Matrix expected(kTokens, kHeads * head_dim);
      run_sharded(kernel_table(Isa::kReference).rope,
                  {x.view(), table.view(), kHeads, head_dim, pairing, expected.view()}, 1);
      for (Isa isa : tested_isas()) {
        Matrix y(kTokens, kHeads * head_dim);
        run_sharded(kernel_table(isa).rope, {x.view(), table.view(), kHeads, head_dim, pairing, y.view()}, 1);
        // Two products of values up to 30, one rounding each.
        ASSERT_LE(max_error(y.view(), expected.view()), 60 * kEpsilon) << isa_name(isa) << " " << rot_dim;
        ASSERT_TRUE(y.gaps_untouched());
        Matrix in_place = random_matrix(kTokens, kHeads * head_dim, static_cast<uint32_t>(rot_dim));
        run_sharded(kernel_table(isa).rope, {in_place.view(), table.view(), kHeads, head_dim, pairing, in_place.view()},
                    4);
        ASSERT_TRUE(bit_equal(in_place.view(), y.view())) << isa_name(isa) << " " << rot_dim;
      }
    }
  }
}

}  // namespace
}  // namespace tribar::kernel
