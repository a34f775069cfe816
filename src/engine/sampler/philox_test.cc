#include "engine/sampler/philox.h"

#include <gtest/gtest.h>

namespace tribar::engine {
namespace {

// Known answers published with the algorithm (Random123, kat_vectors).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, UniformStaysInsideAndDependsOnBoth) {
  double sum = 0;
  for (uint64_t n = 0; n < 10000; ++n) {
    const double u = uniform(1, n);
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
  EXPECT_NE(uniform(1, 0), uniform(2, 0));
  EXPECT_NE(uniform(1, 0), uniform(1, 1));
  EXPECT_NE(uniform(1, 0), uniform(uint64_t{1} << 32, 0));
}

}  // namespace
}  // namespace tribar::engine
