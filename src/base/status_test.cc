#include "base/status.h"

#include <gtest/gtest.h>

#include <memory>

namespace tribar {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return invalid_argument("odd: " + std::to_string(n));
  return n / 2;
}

Result<int> quarter(int n) {
  TRIBAR_ASSIGN_OR_RETURN(const int h, half(n));
  TRIBAR_ASSIGN_OR_RETURN(const int q, half(h));
  return q;
}

Status check_even(int n) {
  TRIBAR_RETURN_IF_ERROR(half(n).status());
  return {};
}

TEST(Status, CarriesCodeAndMessage) {
  EXPECT_TRUE(Status().ok());
  const Status s = not_found("no such tensor");
  EXPECT_FALSE(s.ok());
  EXPECT_EQ(status_code_name(s.code()), "not_found");
  EXPECT_EQ(s.with_context("a.gguf").message(), "a.gguf: no such tensor");
  EXPECT_EQ(s.with_context("a.gguf").code(), StatusCode::kNotFound);
  EXPECT_TRUE(Status().with_context("a.gguf").ok());
}

TEST(Result, MacrosUnwrapOrReturn) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).status().message(), "odd: 3");
  EXPECT_TRUE(check_even(4).ok());
  EXPECT_FALSE(check_even(5).ok());
}

TEST(Result, HoldsMoveOnlyValues) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  ASSERT_TRUE(result.ok());
  const std::unique_ptr<int> value = std::move(result).value();
  EXPECT_EQ(*value, 5);
}

TEST(CheckDeathTest, NamesTheConditionThatFailed) {
  EXPECT_DEATH(TRIBAR_CHECK(1 + 1 == 3), "status_test.cc.*1 \\+ 1 == 3");
  EXPECT_DEATH(TRIBAR_CHECK_MSG(false, "why"), "why");
  EXPECT_DEATH((void)half(3).value(), "odd: 3");
}

}  // namespace
}  // namespace tribar
