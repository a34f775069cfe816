// A loader that forgets a weight or a switch must not pass the golden tests: each omission that golden.json lists is
// made on purpose, and must change the logits by what it changes in the reference implementation.
#include <gtest/gtest.h>

#include "golden/mutations.h"
#include "golden/runner.h"

namespace tribar::golden {
namespace {

class Mutation : public ::testing::TestWithParam<std::tuple<std::string, Spelling>> {};
INSTANTIATE_TEST_SUITE_P(Families, Mutation,
                         ::testing::Combine(::testing::ValuesIn(golden_families()),
                                            ::testing::Values(Spelling::kGguf, Spelling::kConfig)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" + spelling_name(std::get<1>(info.param));
                         });

Result<Rows> longest_logits(const GoldenFile& file, const GoldenData& data) {
  TRIBAR_ASSIGN_OR_RETURN(const auto runner, Runner::create(file, {.isa = supported_isas().back()}));
  return runner->logits(data.longest().ids);
}

TEST_P(Mutation, EveryOmissionIsNoticed) {
  const auto& [family, spelling] = GetParam();
  const Result<GoldenFile> good = GoldenFile::open(family, spelling);
  const auto json = golden_path(family, "golden.json");
  if (!json || good.status().code() == StatusCode::kNotFound) GTEST_SKIP() << "no data for " << family;
  ASSERT_TRUE(good.ok()) << good.status().message();
  const Result<GoldenData> data = read_golden(*json);
  ASSERT_TRUE(data.ok()) << data.status().message();
  const Result<Rows> expected = longest_logits(*good, *data);
  ASSERT_TRUE(expected.ok()) << expected.status().message();

  int made = 0;
  for (const auto& [label, sensitivity] : data->sensitivity) {
    GoldenFile bad = *good;
    const MutationResult result = mutate(family, label, *data, spelling, &bad);
    ASSERT_NE(result, MutationResult::kUnknown) << "no mutation for: " << label;
    if (result == MutationResult::kNotExpressible) continue;
    const Result<Rows> changed = longest_logits(bad, *data);
    ASSERT_TRUE(changed.ok()) << label << ": " << changed.status().message();
    const double change = max_difference(*changed, *expected) / rms(*expected);
    EXPECT_GT(change, 1e-3) << label << " would pass the golden test";
    EXPECT_NEAR(change, sensitivity, 0.06 * sensitivity) << label;  // the file has two digits
    ++made;
  }
  EXPECT_GT(made, 0);
}

}  // namespace
}  // namespace tribar::golden
