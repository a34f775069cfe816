#include "app/perplexity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tribar::app {
namespace {

TEST(Perplexity, LikelihoodOfKnownDistributions) {
  const std::vector<float> equal(8, 3.0f);
  EXPECT_NEAR(negative_log_likelihood(equal, 5), std::log(8.0), 1e-12);
  const std::vector<float> two = {0.0f, std::log(3.0f)};
  EXPECT_NEAR(negative_log_likelihood(two, 1), -std::log(0.75), 1e-7);
  const std::vector<float> large = {1e30f, -1e30f};
  EXPECT_EQ(negative_log_likelihood(large, 0), 0);
  EXPECT_NEAR(negative_log_likelihood(large, 1), 2e30, 1e24);
}

TEST(Perplexity, SumGivesMeanAndStandardError) {
  PerplexitySum sum;
  for (double nll : {1.0, 2.0, 3.0, 6.0}) sum.add(nll);
  EXPECT_EQ(sum.count(), 4);
  EXPECT_NEAR(sum.perplexity(), std::exp(3.0), 1e-9);
  // Mean 3, population variance 3.5, over n - 1 = 3.
  EXPECT_NEAR(sum.standard_error(), std::sqrt(3.5 / 3) * std::exp(3.0), 1e-9);
  PerplexitySum one;
  one.add(1);
  EXPECT_EQ(one.standard_error(), 0);
}

TEST(Perplexity, SecondHalfIsScored) {
  EXPECT_EQ(511 - first_scored(512), 255);
  EXPECT_EQ(127 - first_scored(128), 63);
}

}  // namespace
}  // namespace tribar::app
