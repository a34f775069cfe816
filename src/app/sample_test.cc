#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cmath>
#include <cstdlib>
#include <string>

#include "app/sample_line.h"
#include "app/text_input.h"

namespace tribar::app {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

// Every sampler case of the file: the same support exactly, probabilities within 1e-12.
void expect_cases(const std::string& path, size_t at_least) {
  Result<std::string> text = read_text(path);
  ASSERT_TRUE(text.ok()) << text.status().message();
  const json::value all = json::parse(*text);
  const json::array& cases = all.at("samplers").as_array();
  EXPECT_GE(cases.size(), at_least);
  for (const json::value& c : cases) {
    SCOPED_TRACE(json::serialize(c.at("id")));
    const json::value got = json::parse(sample_line(json::serialize(c)));
    ASSERT_TRUE(got.as_object().contains("probs")) << json::serialize(got);
    const json::array& probs = got.at("probs").as_array();
    const json::array& expected = c.at("probs").as_array();
    ASSERT_EQ(probs.size(), expected.size());
    for (size_t i = 0; i < probs.size(); ++i) {
      const double p = probs[i].to_number<double>(), e = expected[i].to_number<double>();
      EXPECT_EQ(p > 0, e > 0) << "token " << i;
      EXPECT_NEAR(p, e, 1e-12) << "token " << i;
    }
  }
}

TEST(SampleCommand, MatchesTheCases) { expect_cases(TRIBAR_TEST_DATA "/sampling/cases.json", 60); }

TEST(SampleCommand, MatchesAllSharedCases) {
  const char* folder = std::getenv("TRIBAR_CASES");
  const std::string path =
      (folder != nullptr ? std::string(folder) : TRIBAR_TEST_DATA "/../../../shared/cases") + "/sampling/cases.json";
  if (!read_text(path).ok()) GTEST_SKIP() << "no shared cases";
  expect_cases(path, 200);
}

TEST(SampleCommand, AnswersBadLinesWithAnErrorObject) {
  const auto message = [](std::string_view line) {
    const json::value got = json::parse(sample_line(line));
    return std::string(got.at("error").at("message").as_string());
  };
  EXPECT_THAT(message(""), HasSubstr("not JSON"));
  EXPECT_THAT(message("{"), HasSubstr("not JSON"));
  EXPECT_THAT(message("[1]"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(message("{}"), HasSubstr("'logits'"));
  EXPECT_THAT(message(R"({"logits":[]})"), HasSubstr("'logits'"));
  EXPECT_THAT(message(R"({"logits":["x"]})"), HasSubstr("'logits'"));
  EXPECT_THAT(message(R"({"logits":[1e999]})"), HasSubstr(""));
  EXPECT_THAT(message(R"({"logits":[1e39]})"), HasSubstr("not finite"));
  EXPECT_THAT(message(R"({"logits":[null]})"), HasSubstr("minus infinity"));
  EXPECT_THAT(message(R"({"logits":[1],"params":3})"), HasSubstr("'params'"));
  EXPECT_THAT(message(R"({"logits":[1],"params":{"temperature":-1}})"), HasSubstr("temperature is -1"));
  EXPECT_THAT(message(R"({"logits":[1],"params":{"temperature":"hot"}})"), HasSubstr("temperature must be a number"));
  EXPECT_THAT(message(R"({"logits":[1],"params":{"top_k":1.5}})"), HasSubstr("top_k must be an integer"));
  EXPECT_THAT(message(R"({"logits":[1],"params":{"temprature":1}})"), HasSubstr("did you mean 'temperature'?"));
  EXPECT_THAT(message(R"({"logits":[1],"params":{"logit_bias":{"1x":1}}})"), HasSubstr("'1x'"));
  EXPECT_THAT(message(R"({"logits":[1],"params":{"logit_bias":{"1":1}}})"), HasSubstr("token 1"));
  EXPECT_THAT(message(R"({"logits":[1],"prompt_ids":[1]})"), HasSubstr("'prompt_ids'"));
  EXPECT_THAT(message(R"({"logits":[1],"output_ids":"a"})"), HasSubstr("'output_ids'"));
  const std::string deep(100000, '[');
  EXPECT_THAT(message(deep), HasSubstr("not JSON"));
  EXPECT_THAT(json::parse(sample_line("{")).at("error").at("kind").as_string(), "invalid_argument");
}

TEST(SampleCommand, TakesNullAsAbsent) {
  EXPECT_EQ(sample_line(R"({"logits":[1,1],"params":{"temperature":null,"top_k":40.0},"prompt_ids":null})"),
            R"({"probs":[0.5,0.5]})");
}

}  // namespace
}  // namespace tribar::app
