// Norms, rope and row copies: against the reference for many widths, in place, and every row independent of its
// neighbours.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "kernel/kernel_test_data.h"

namespace tribar::kernel {
namespace {

constexpr float kEpsilon = std::numeric_limits<float>::epsilon();

// Relative error of a sum of n squares in sixteen or more partial sums, and a few roundings after it.
float norm_tolerance(int64_t n) { return kEpsilon * (3.0f + static_cast<float>(n) / 32.0f); }

TEST(RmsNorm, MatchesReferenceForEveryWidth) {
  for (int64_t cols = 1; cols <= 257; ++cols) {
    for (int64_t groups : {int64_t{1}, int64_t{3}}) {
      const Matrix x = random_matrix(4, cols * groups, static_cast<uint32_t>(cols), 2.0f);
      const Matrix w = random_matrix(1, cols, 5);
      const float offset = groups == 1 ? 0.0f : 1.0f;
      Matrix expected(4, cols * groups);
      run_sharded(kernel_table(Isa::kReference).rms_norm,
                  {x.view(), w.view().f32(0), offset, 1e-6f, groups, expected.view()}, 1);
      for (Isa isa : tested_isas()) {
        Matrix y(4, cols * groups);
        run_sharded(kernel_table(isa).rms_norm, {x.view(), w.view().f32(0), offset, 1e-6f, groups, y.view()}, 1);
        ASSERT_LE(max_relative_error(y.view(), expected.view(), 1e-3f), norm_tolerance(cols))
            << isa_name(isa) << " " << cols;
        ASSERT_TRUE(y.gaps_untouched());
        Matrix in_place = random_matrix(4, cols * groups, static_cast<uint32_t>(cols), 2.0f);
        run_sharded(kernel_table(isa).rms_norm,
                    {in_place.view(), w.view().f32(0), offset, 1e-6f, groups, in_place.view()}, 3);
        ASSERT_TRUE(bit_equal(in_place.view(), y.view())) << isa_name(isa) << " " << cols;
      }
    }
  }
}

TEST(RmsNorm, SmallValuesFeelEpsilon) {
  const Matrix x = random_matrix(1, 64, 3, 1e-3f);
  const Matrix w = random_matrix(1, 64, 5);
  for (Isa isa : tested_isas()) {
    Matrix expected(1, 64);
    Matrix y(1, 64);
    Matrix other(1, 64);
    run_sharded(kernel_table(Isa::kReference).rms_norm, {x.view(), w.view().f32(0), 0, 1e-5f, 1, expected.view()}, 1);
    run_sharded(kernel_table(isa).rms_norm, {x.view(), w.view().f32(0), 0, 1e-5f, 1, y.view()}, 1);
    run_sharded(kernel_table(isa).rms_norm, {x.view(), w.view().f32(0), 0, 1e-6f, 1, other.view()}, 1);
    EXPECT_LE(max_relative_error(y.view(), expected.view(), 1e-3f), norm_tolerance(64)) << isa_name(isa);
    EXPECT_GT(max_error(other.view(), expected.view()), 0.01f) << isa_name(isa);
  }
}

TEST(LayerNorm, MatchesReferenceForEveryWidth) {
  const Matrix w = random_matrix(1, 257, 5);
  const Matrix bias = random_matrix(1, 257, 6);
  for (int64_t cols = 2; cols <= 257; ++cols) {
    for (const float* b : {bias.view().f32(0), static_cast<float*>(nullptr)}) {
      const Matrix x = random_matrix(3, cols, static_cast<uint32_t>(cols), 2.0f);
      Matrix expected(3, cols);
      run_sharded(kernel_table(Isa::kReference).layer_norm, {x.view(), w.view().f32(0), b, 1e-5f, expected.view()}, 1);
      for (Isa isa : tested_isas()) {
        Matrix y(3, cols);
        run_sharded(kernel_table(isa).layer_norm, {x.view(), w.view().f32(0), b, 1e-5f, y.view()}, 1);
        // x - mean loses what the mean and x have in common, and bias does the same once more: values here reach 100.
        ASSERT_LE(max_relative_error(y.view(), expected.view(), 100.0f), norm_tolerance(cols))
            << isa_name(isa) << " " << cols;
        Matrix in_place = random_matrix(3, cols, static_cast<uint32_t>(cols), 2.0f);
        run_sharded(kernel_table(isa).layer_norm, {in_place.view(), w.view().f32(0), b, 1e-5f, in_place.view()}, 2);
        ASSERT_TRUE(bit_equal(in_place.view(), y.view())) << isa_name(isa) << " " << cols;
      }
    }
  }
}

TEST(Norms, ARowDoesNotDependOnItsNeighbours) {
  constexpr int64_t kRows = 70;
  const Matrix x = random_matrix(kRows, 2 * 100, 7);
  const Matrix w = random_matrix(1, 200, 5);
  for (Isa isa : tested_isas()) {
    const KernelTable& table = kernel_table(isa);
    Matrix together(kRows, 200);
    Matrix alone(kRows, 200);
    run_sharded(table.rms_norm, {x.view(), w.view().f32(0), 0, 1e-6f, 2, together.view()}, 5);
    for (int64_t r = 0; r < kRows; ++r) {
      run_sharded(table.rms_norm, {x.rows(r, r + 1), w.view().f32(0), 0, 1e-6f, 2, alone.rows(r, r + 1)}, 2);
    }
    EXPECT_TRUE(bit_equal(together.view(), alone.view())) << isa_name(isa);
    run_sharded(table.layer_norm, {x.view(), w.view().f32(0), nullptr, 1e-6f, together.view()}, 5);
    for (int64_t r = 0; r < kRows; ++r) {
      run_sharded(table.layer_norm, {x.rows(r, r + 1), w.view().f32(0), nullptr, 1e-6f, alone.rows(r, r + 1)}, 2);
    }
    EXPECT_TRUE(bit_equal(together.view(), alone.view())) << isa_name(isa);
  }
}

TEST(GatherRows, CopiesRowsInOrder) {
  const Matrix x = random_matrix(9, 37, 1);
  const std::vector<int32_t> rows = {8, 0, 3, 3};
  for (Isa isa : tested_isas()) {
    Matrix y(4, 37);
    run_sharded(kernel_table(isa).gather_rows, {x.view(), rows.data(), y.view()}, 3);
    for (int64_t r = 0; r < 4; ++r) {
      const int64_t source = rows[static_cast<size_t>(r)];
      EXPECT_TRUE(bit_equal(y.rows(r, r + 1), x.rows(source, source + 1))) << isa_name(isa);
    }
  }
}

}  // namespace
}  // namespace tribar::kernel
