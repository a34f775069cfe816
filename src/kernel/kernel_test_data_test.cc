#include "kernel/kernel_test_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tribar::kernel {
namespace {

TEST(KernelTestData, RandomMatrixHasTheDeviationAskedFor) {
  EXPECT_NEAR(root_mean_square(random_matrix(50, 500, 1, 0.5f).view()), 0.5f, 0.3f);
}

TEST(KernelTestData, SeesErrorsAndWritesBetweenRows) {
  Matrix a = random_matrix(3, 5, 1);
  Matrix b = random_matrix(3, 5, 1);
  EXPECT_TRUE(bit_equal(a.view(), b.view()));
  EXPECT_EQ(max_error(a.view(), b.view()), 0.0f);
  b.at(2, 4) += 0.5f;
  EXPECT_FALSE(bit_equal(a.view(), b.view()));
  EXPECT_NEAR(max_error(a.view(), b.view()), 0.5f, 1e-5f);
  b.at(0, 0) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isinf(max_error(a.view(), b.view())));
  EXPECT_TRUE(a.gaps_untouched());
  a.view().f32(1)[5] = 0.0f;
  EXPECT_FALSE(a.gaps_untouched());
}

}  // namespace
}  // namespace tribar::kernel
