// Operators that treat every element by itself: against the reference, for every width, in place, and independent of
// sharding.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernel/kernel_test_data.h"

namespace tribar::kernel {
namespace {

constexpr int64_t kRows = 3;
constexpr float kEpsilon = std::numeric_limits<float>::epsilon();

// `call(table, x, y, shards)` for all widths, each ISA against the reference.
template <typename Call>
void check_all_widths(Call call, float tolerance, float floor = 1e-30f) {
  for (int64_t cols = 1; cols <= 257; ++cols) {
    const Matrix x = random_matrix(kRows, cols, static_cast<uint32_t>(cols), 3.0f);
    Matrix expected(kRows, cols);
    call(kernel_table(Isa::kReference), x.view(), expected.view(), 1);
    for (Isa isa : tested_isas()) {
      SCOPED_TRACE(std::string(isa_name(isa)) + ", cols " + std::to_string(cols));
      Matrix y(kRows, cols);
      call(kernel_table(isa), x.view(), y.view(), 1);
      EXPECT_LE(max_relative_error(y.view(), expected.view(), floor), tolerance);
      EXPECT_TRUE(y.gaps_untouched());

      Matrix in_place = random_matrix(kRows, cols, static_cast<uint32_t>(cols), 3.0f);
      call(kernel_table(isa), in_place.view(), in_place.view(), 4);
      EXPECT_TRUE(bit_equal(in_place.view(), y.view()));
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Add, MatchesReference) {
  const Matrix b = random_matrix(kRows, 257, 99);
  check_all_widths([&](const KernelTable& table, const TensorView& x, const TensorView& y,
                       int shards) { run_sharded(table.add, {x, b.columns(0, x.cols), 0.22f, y}, shards); },
                   kEpsilon, 8.0f);
}

TEST(Scale, MatchesReference) {
  check_all_widths([](const KernelTable& table, const TensorView& x, const TensorView& y,
                      int shards) { run_sharded(table.scale, {x, -1.7f, y}, shards); },
                   0.0f);
}

TEST(Softcap, MatchesReference) {
  for (float cap : {1.0f, 30.0f}) {
    check_all_widths([&](const KernelTable& table, const TensorView& x, const TensorView& y,
                         int shards) { run_sharded(table.softcap, {x, cap, y}, shards); },
                     4 * kEpsilon);
  }
}

struct ActivationCase {
  Activation activation;
  float tolerance;  // absolute where |y| < 1, else relative
};
// The argument of the exponential is rounded before it is taken: an error in proportion to |x|.
constexpr ActivationCase kActivations[] = {
    {Activation::kSilu, 4 * kEpsilon}, {Activation::kGeluTanh, 8 * kEpsilon}, {Activation::kGeluErf, 4 * kEpsilon},
    {Activation::kRelu, 0.0f},         {Activation::kReluSquared, kEpsilon},
};

TEST(Activate, MatchesReference) {
  for (const ActivationCase& c : kActivations) {
    check_all_widths([&](const KernelTable& table, const TensorView& x, const TensorView& y,
                         int shards) { run_sharded(table.activate, {x, c.activation, y}, shards); },
                     c.tolerance, 1.0f);
  }
}

TEST(Glu, MatchesReference) {
  const Matrix up = random_matrix(kRows, 257, 98);
  for (const ActivationCase& c : kActivations) {
    check_all_widths([&](const KernelTable& table, const TensorView& x, const TensorView& y,
                         int shards) { run_sharded(table.glu, {x, up.columns(0, x.cols), c.activation, y}, shards); },
                     4 * kEpsilon + 2 * c.tolerance, 8.0f);
  }
}

// A row of `values` through one kernel of every ISA and of the reference.
template <typename Call>
void check_values(const std::vector<float>& values, Call call, float tolerance) {
  const auto cols = static_cast<int64_t>(values.size());
  Matrix x(1, cols);
  for (int64_t c = 0; c < cols; ++c) x.at(0, c) = values[static_cast<size_t>(c)];
  Matrix expected(1, cols);
  call(kernel_table(Isa::kReference), x.view(), expected.view());
  for (Isa isa : tested_isas()) {
    Matrix y(1, cols);
    call(kernel_table(isa), x.view(), y.view());
    EXPECT_LE(max_relative_error(y.view(), expected.view(), std::numeric_limits<float>::min()), tolerance)
        << isa_name(isa);
  }
}

TEST(Silu, IsRelativelyAccurateFromSaturationToSaturation) {
  std::vector<float> values;
  for (float x = -87.0f; x < 100.0f; x += 0.0137f) values.push_back(x);
  check_values(
      values,
      [](const KernelTable& table, const TensorView& x, const TensorView& y) {
        run_sharded(table.activate, {x, Activation::kSilu, y}, 1);
      },
      4 * kEpsilon);
}

TEST(Softcap, IsRelativelyAccurateFromTinyToSaturation) {
  std::vector<float> values;
  for (float x = 1e-20f; x < 100.0f; x *= 1.01f) {
    values.push_back(x);
    values.push_back(-x);
  }
  check_values(
      values,
      [](const KernelTable& table, const TensorView& x, const TensorView& y) {
        run_sharded(table.softcap, {x, 1.0f, y}, 1);
      },
      4 * kEpsilon);
}

TEST(Activate, KeepsNanAndInfinity) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Matrix x(1, 3);
  x.at(0, 0) = std::numeric_limits<float>::quiet_NaN();
  x.at(0, 1) = kInfinity;
  x.at(0, 2) = -1e30f;
  for (Isa isa : tested_isas()) {
    Matrix y(1, 3);
    run_sharded(kernel_table(isa).activate, {x.view(), Activation::kSilu, y.view()}, 1);
    EXPECT_TRUE(std::isnan(y.at(0, 0))) << isa_name(isa);
    EXPECT_EQ(y.at(0, 1), kInfinity) << isa_name(isa);
    EXPECT_EQ(y.at(0, 2), 0.0f) << isa_name(isa);
    run_sharded(kernel_table(isa).softcap, {x.view(), 2.0f, y.view()}, 1);
    EXPECT_TRUE(std::isnan(y.at(0, 0))) << isa_name(isa);
    EXPECT_EQ(y.at(0, 1), 2.0f) << isa_name(isa);
  }
}

}  // namespace
}  // namespace tribar::kernel
