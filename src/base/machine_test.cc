#include "base/machine.h"

#include <gtest/gtest.h>

namespace tribar {
namespace {

TEST(Machine, ThisOneIsDescribed) {
  const Machine machine = read_machine();
  EXPECT_GE(machine.threads, 1);
  EXPECT_GT(machine.memory_total_bytes, machine.memory_limit_bytes.value_or(0));
  EXPECT_FALSE(machine.kernel_release.empty());
  ASSERT_FALSE(machine.isas.empty());
  EXPECT_EQ(machine.isas.front(), Isa::kReference);
  EXPECT_TRUE(isa_supported(machine.isas.back()));
  EXPECT_TRUE(!machine.amx_permission || machine.features.amx_tile);
}

}  // namespace
}  // namespace tribar
