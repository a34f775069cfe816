#include "app/bench_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "app/text_input.h"

namespace tribar::app {
namespace {

using testing::HasSubstr;

const BenchModel kModel{"m \"q\".gguf", "llama 135M Q4_1", 98 << 20, 134515008, "CPU avx512", "A CPU", "f16", {}, 2048};
const std::vector<BenchResult> kResults = {
    {.threads = 2,
     .n_prompt = 512,
     .n_gen = 0,
     .n_depth = 0,
     .chunk = 512,
     .time = "2026-01-02T03:04:05Z",
     .samples_us = {1e6, 2e6}},
    {.threads = 2,
     .n_prompt = 0,
     .n_gen = 128,
     .n_depth = 1024,
     .chunk = 512,
     .time = "2026-01-02T03:04:06Z",
     .samples_us = {4e6}},
};

TEST(BenchTable, MeanAndDeviation) {
  EXPECT_EQ(mean_and_deviation({3}).deviation, 0);
  EXPECT_NEAR(mean_and_deviation({1, 2, 3, 4}).mean, 2.5, 1e-12);
  EXPECT_NEAR(mean_and_deviation({1, 2, 3, 4}).deviation, 1.2909944487, 1e-9);
}

TEST(BenchTable, NamesTests) {
  EXPECT_EQ(test_name(kResults[0]), "pp512");
  EXPECT_EQ(test_name(kResults[1]), "tg128 @ d1024");
  EXPECT_EQ(test_name({.n_prompt = 8, .n_gen = 4, .time = "", .samples_us = {}}), "pp8+tg4");
}

TEST(BenchTable, MarkdownHasTheColumnsOfLlamaBench) {
  const std::string text = bench_markdown(kModel, kResults);
  const std::vector<std::string_view> lines = split_lines(text);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(std::string(lines[0]), HasSubstr("| model "));
  EXPECT_THAT(std::string(lines[2]),
              HasSubstr("| llama 135M Q4_1                |  98.00 MiB |   134.52 M | CPU avx512"));
  EXPECT_THAT(std::string(lines[2]), HasSubstr("pp512 |      384.00 ± 181.02 |"));
  EXPECT_THAT(std::string(lines[3]), HasSubstr("tg128 @ d1024 |         32.00 ± 0.00 |"));
  EXPECT_EQ(lines[0].size(), lines[1].size());
  EXPECT_EQ(lines[2].size(), lines[1].size() + 1);  // "±" has two bytes
}

TEST(BenchTable, ReportsTheActivationGroups) {
  BenchModel model = kModel;
  model.activation_groups = {{"layer.0.q + layer.0.k", 576, 128, 1e-5, 3e-5}, {"layer.0.down", 1536, 32, 1e-5, 9e-4}};
  EXPECT_THAT(bench_markdown(model, kResults), HasSubstr("128 columns in 1 of 2 inputs of linear layers"));
  const boost::json::value json = boost::json::parse(bench_json(model, kResults));
  const boost::json::array& groups = json.as_array()[0].as_object().at("activation_groups").as_array();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[1].as_object().at("layer").as_string(), "layer.0.down");
  EXPECT_EQ(groups[1].as_object().at("group").as_int64(), 32);
  EXPECT_NEAR(groups[1].as_object().at("error_128").to_number<double>(), 9e-4, 1e-9);
}

TEST(BenchTable, JsonHasTheNamesOfLlamaBench) {
  const boost::json::value json = boost::json::parse(bench_json(kModel, kResults));
  ASSERT_EQ(json.as_array().size(), 2u);
  EXPECT_EQ(json.at(0).at("n_prompt").as_int64(), 512);
  EXPECT_EQ(json.at(0).at("n_gen").as_int64(), 0);
  EXPECT_EQ(json.at(1).at("n_depth").as_int64(), 1024);
  EXPECT_EQ(json.at(0).at("n_threads").as_int64(), 2);
  EXPECT_EQ(json.at(0).at("avg_ts").to_number<double>(), 384);
  EXPECT_NEAR(json.at(0).at("stddev_ts").to_number<double>(), 181.019336, 1e-5);
  EXPECT_EQ(json.at(0).at("avg_ns").as_int64(), 1500000000);
  EXPECT_EQ(json.at(1).at("samples_ts").as_array().size(), 1u);
}

TEST(BenchTable, CsvQuotes) {
  const std::string text = bench_csv(kModel, kResults);
  const std::vector<std::string_view> lines = split_lines(text);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(std::string(lines[1]), HasSubstr("\"m \"\"q\"\".gguf\",\"llama 135M Q4_1\","));
  EXPECT_THAT(std::string(lines[2]), HasSubstr(",2,0,128,1024,4000000000,0,32.000000,0.000000"));
}

// 100 GB/s and 1000 GOP/s; 1 GB and a billion multiply-adds a token.
std::vector<BenchResult> with_ceilings(double amx_gops) {
  std::vector<BenchResult> results = kResults;
  const BenchCeilings ceilings{.stream_gbps = 100,
                               .stream_median_gbps = 90,
                               .int8_name = "avx512_vnni",
                               .int8_gops = 10000,
                               .amx_gops = amx_gops,
                               .weight_bytes = 1000000000,
                               .macs_per_token = 1000000000,
                               .macs_per_logit_row = 512000000};
  for (BenchResult& result : results) result.ceilings = ceilings;
  return results;
}

TEST(BenchShares, DecodeIsHeldAgainstTheStreamAndPrefillAgainstArithmetic) {
  const std::vector<BenchResult> results = with_ceilings(40000);
  EXPECT_FALSE(results[0].shares().stream);
  EXPECT_NEAR(results[0].shares().int8.value(), 100 * 2 * 1.001 * 384 / 10000, 1e-9);
  EXPECT_NEAR(results[0].shares().amx.value(), 100 * 2 * 1.001 * 384 / 40000, 1e-9);
  EXPECT_NEAR(results[1].shares().stream.value(), 32, 1e-9);
  EXPECT_FALSE(results[1].shares().int8);
  EXPECT_FALSE(kResults[1].shares().stream);
  BenchResult both = results[1];
  both.n_prompt = 8;
  EXPECT_FALSE(both.shares().stream || both.shares().int8);
}

TEST(BenchShares, StandBehindTheColumnsOfLlamaBench) {
  const std::vector<std::string> plain_lines = [] {
    std::vector<std::string> lines;
    const std::string text = bench_markdown(kModel, kResults);
    for (std::string_view line : split_lines(text)) lines.emplace_back(line);
    return lines;
  }();
  for (double amx_gops : {0.0, 40000.0}) {
    const std::string text = bench_markdown(kModel, with_ceilings(amx_gops));
    const std::vector<std::string_view> lines = split_lines(text);
    ASSERT_EQ(lines.size(), 4u);
    for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(lines[i].starts_with(plain_lines[i])) << lines[i];
    EXPECT_THAT(std::string(lines[0]), HasSubstr("|      % stream | % avx512_vnni |"));
    EXPECT_EQ(lines[0].find("amx") != std::string_view::npos, amx_gops > 0);
    EXPECT_THAT(std::string(lines[2]), HasSubstr("|               |           7.7 |"));
    EXPECT_THAT(std::string(lines[3]), HasSubstr("|          32.0 |               |"));
    EXPECT_EQ(lines[0].size(), lines[1].size());
  }
}

TEST(BenchShares, JsonAndCsv) {
  const boost::json::value json = boost::json::parse(bench_json(kModel, with_ceilings(0)));
  EXPECT_NEAR(json.at(1).at("stream_percent").to_number<double>(), 32, 1e-6);
  EXPECT_TRUE(json.at(0).at("stream_percent").is_null());
  EXPECT_TRUE(json.at(0).at("amx_int8_percent").is_null());
  EXPECT_EQ(json.at(0).at("int8_peak_name").as_string(), "avx512_vnni");
  EXPECT_EQ(json.at(0).at("weight_bytes").as_int64(), 1000000000);
  EXPECT_EQ(boost::json::parse(bench_json(kModel, kResults)).at(0).as_object().count("int8_percent"), 0u);
  const std::string csv = bench_csv(kModel, with_ceilings(0));
  EXPECT_THAT(csv, HasSubstr("avg_ts,stddev_ts,stream_percent,int8_percent,int8_peak_name,amx_int8_percent\n"));
  EXPECT_THAT(csv, HasSubstr(",32.000000,0.000000,32.0,,avx512_vnni,\n"));
  EXPECT_THAT(bench_csv(kModel, kResults), HasSubstr(",32.000000,0.000000,,,,\n"));
}

}  // namespace
}  // namespace tribar::app
