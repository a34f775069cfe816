#include "app/op_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace tribar::app {
namespace {

using testing::HasSubstr;

// Two steps of 512 tokens: 40 ms in linear layers, 8 in attention, 2 elsewhere.
runtime::OpProfile made_up_profile() {
  runtime::OpProfile profile;
  profile.runs = 2;
  profile.tokens = 1024;
  profile.logit_rows = 2;
  profile.wall_us = 50'000;
  profile.ops.push_back({.op = "attention", .detail = "", .calls = 24, .busy_us = 7'000, .wait_us = 1'000});
  profile.ops.push_back({.op = "linear",
                         .detail = "Q4_0 100x100",
                         .calls = 24,
                         .weight_bytes = 20'000'000,
                         .macs_per_row = 1'000'000,
                         .busy_us = 40'000});
  return profile;
}

TEST(OpTable, LongestFirstAndHeldAgainstTheMachine) {
  const std::string text = op_table(made_up_profile(), {.stream_gbps = 10, .int8_gops = 102.4});
  EXPECT_LT(text.find("linear Q4_0 100x100"), text.find("attention"));
  // 40 MB in 40 ms; 2 * 10^6 * 1024 operations in 40 ms.
  EXPECT_THAT(text, HasSubstr("1.0 (10 %)"));
  EXPECT_THAT(text, HasSubstr("51.2 (50 %)"));
  EXPECT_THAT(text, HasSubstr("|   20.000 |  80.0 |"));
  EXPECT_THAT(text, HasSubstr("start, end and check of the logits"));
  EXPECT_THAT(text, HasSubstr("|    1.000 |   4.0 |"));
  EXPECT_THAT(op_table(made_up_profile(), {}), HasSubstr(" 51.2 |")) << "without ceilings no shares";
}

TEST(OpTable, ATestWithoutTimesSaysSo) { EXPECT_THAT(op_table({}, {}), HasSubstr("no operator")); }

TEST(OpTable, JsonHasTheTimesOfAllRuns) {
  JsonWriter json;
  json.begin_object();
  write_op_profile(made_up_profile(), &json);
  json.end_object();
  const boost::json::value parsed = boost::json::parse(json.text());
  const boost::json::object& ops = parsed.as_object().at("ops").as_object();
  EXPECT_EQ(ops.at("runs").as_int64(), 2);
  EXPECT_NEAR(ops.at("other_us").to_number<double>(), 2'000, 1e-6);
  const boost::json::array& kinds = ops.at("by_kind").as_array();
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[1].at("op").as_string(), "linear");
  EXPECT_NEAR(kinds[1].at("operations").to_number<double>(), 2.0 * 1'000'000 * 1024, 1);
  EXPECT_NEAR(kinds[1].at("weight_bytes").to_number<double>(), 40e6, 1);
}

}  // namespace
}  // namespace tribar::app
