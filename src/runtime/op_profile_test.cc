#include "runtime/op_profile.h"

#include <gtest/gtest.h>

#include <numeric>

#include "runtime/test_runner.h"
#include "runtime/tiny_decoder.h"

namespace tribar::runtime {
namespace {

std::vector<int32_t> some_ids() {
  std::vector<int32_t> ids(24);
  std::iota(ids.begin(), ids.end(), 3);
  return ids;
}

const OpTime* find(const OpProfile& profile, std::string_view op, std::string_view detail) {
  for (const OpTime& time : profile.ops) {
    if (time.op == op && time.detail == detail) return &time;
  }
  return nullptr;
}

TEST(OpProfile, AccountsForAllTimeAndChangesNoBit) {
  const graph::Graph g = make_tiny_decoder({});
  const TestWeights weights(g, 4);
  for (const int threads : {1, 2}) {
    TestRunner runner(g, weights, {.threads = threads});
    const std::vector<float> expected = runner.run_sequence(some_ids(), 8);
    EXPECT_EQ(runner.executor->profile().runs, 0);
    runner.executor->set_profiling(true);
    EXPECT_EQ(runner.run_sequence(some_ids(), 8), expected);
    const OpProfile profile = runner.executor->profile();
    EXPECT_EQ(profile.runs, 3);
    EXPECT_EQ(profile.tokens, 24);
    EXPECT_EQ(profile.logit_rows, 24);
    double inside = 0;
    for (const OpTime& op : profile.ops) inside += op.busy_us + op.wait_us;
    EXPECT_GT(inside, 0);
    EXPECT_LE(inside, profile.wall_us);
    runner.executor->set_profiling(true);
    EXPECT_EQ(runner.executor->profile().runs, 0) << "turning it on begins anew";
    runner.executor->set_profiling(false);
    EXPECT_TRUE(runner.executor->profile().ops.empty());
  }
}

TEST(OpProfile, JoinsStepsOfOneKind) {
  const graph::Graph g = make_tiny_decoder({});  // two layers; hidden 24, two KV heads of 6, MLP of 40
  const TestWeights weights(g, 4);
  TestRunner runner(g, weights, {});
  runner.executor->set_profiling(true);
  runner.run_sequence(some_ids(), 24);
  const OpProfile profile = runner.executor->profile();
  const OpTime* key_and_value = find(profile, "linear", "F32 12x24");
  ASSERT_NE(key_and_value, nullptr);
  EXPECT_EQ(key_and_value->calls, 4);
  EXPECT_EQ(key_and_value->macs_per_row, 4 * 12 * 24);
  EXPECT_EQ(key_and_value->weight_bytes, 4 * 12 * 24 * 4);
  const OpTime* head = find(profile, "linear", "F32 50x24");
  ASSERT_NE(head, nullptr);
  EXPECT_EQ(head->rows, graph::RowSymbol::kLogitRows);
  const OpTime* attention = find(profile, "attention", "");
  ASSERT_NE(attention, nullptr);
  EXPECT_EQ(attention->calls, 2);
}

}  // namespace
}  // namespace tribar::runtime
