#include "app/thread_warning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tribar::app {
namespace {

using testing::HasSubstr;

TEST(ThreadWarning, NoneWithinTheAllowance) {
  for (int threads : {0, 1, 2}) EXPECT_FALSE(thread_warning(threads, {2, 2, std::nullopt}));
  EXPECT_FALSE(thread_warning(1, {1, 8, 1.5}));
}

TEST(ThreadWarning, NamesTheQuotaThatBinds) {
  const std::optional<std::string> text = thread_warning(2, {1, 8, 1.5});
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("2 threads, but the cgroup quota pays for 1.5 processors:"));
  EXPECT_THAT(*text, HasSubstr("-t 1 "));
}

TEST(ThreadWarning, NamesTheProcessorsWhenTheQuotaIsWider) {
  const std::optional<std::string> text = thread_warning(9, {2, 2, 4.0});
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("9 threads, but this process may use 2 processors:"));
  EXPECT_THAT(*text, HasSubstr("-t 2 "));
}

TEST(ThreadWarning, TheDefaultIsNeverAboveTheAllowance) {
  const CpuAllowance allowance = cpu_allowance();
  EXPECT_GE(allowance.threads, 1);
  EXPECT_LE(allowance.threads, allowance.cpus);
  EXPECT_FALSE(thread_warning(allowance.threads, allowance));
}

}  // namespace
}  // namespace tribar::app
