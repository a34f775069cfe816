// Every family, from both containers and both spellings of config.json, against the reference implementation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "golden/golden_data.h"
#include "golden/runner.h"

namespace tribar::golden {
namespace {

// Max |logit - golden| in units of the logits' rms: fp32 noise is 1e-5, the smallest real mistake 2e-3.
constexpr double kTolerance = 1e-4;

class GoldenModel : public ::testing::Test {
 protected:
  // Skips the test where the files are not here.
  void load(const std::string& family, Spelling spelling) {
    Result<GoldenFile> file = GoldenFile::open(family, spelling);
    const auto json = golden_path(family, "golden.json");
    if (!json || file.status().code() == StatusCode::kNotFound) GTEST_SKIP() << "no data for " << family;
    ASSERT_TRUE(file.ok()) << file.status().message();
    file_ = std::make_unique<GoldenFile>(std::move(*file));
    Result<GoldenData> data = read_golden(*json);
    ASSERT_TRUE(data.ok()) << data.status().message();
    data_ = std::move(*data);
  }

  std::unique_ptr<Runner> runner(const RunOptions& options) {
    Result<std::unique_ptr<Runner>> made = Runner::create(*file_, options);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return made.ok() ? std::move(*made) : nullptr;
  }

  std::unique_ptr<GoldenFile> file_;
  GoldenData data_;
};

class Golden : public GoldenModel, public ::testing::WithParamInterface<std::tuple<std::string, Spelling>> {
 protected:
  void SetUp() override { load(std::get<0>(GetParam()), std::get<1>(GetParam())); }
};
INSTANTIATE_TEST_SUITE_P(Families, Golden,
                         ::testing::Combine(::testing::ValuesIn(golden_families()),
                                            ::testing::Values(Spelling::kGguf, Spelling::kConfig, Spelling::kConfigV4)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" + spelling_name(std::get<1>(info.param));
                         });

void expect_last_logits(const GoldenCase& c, const std::vector<float>& logits) {
  ASSERT_EQ(logits.size(), c.last_logits.size());
  double most = 0;
  for (size_t i = 0; i < logits.size(); ++i)
    most = std::max(most, std::fabs(static_cast<double>(logits[i]) - c.last_logits[i]));
  EXPECT_LE(most, kTolerance * c.logits_rms) << c.name;
}

// The five best of each position: their values by the tolerance, and no other logit above the fifth.
void expect_top5(const GoldenCase& c, const Rows& logits) {
  ASSERT_EQ(logits.size(), c.top5.size());
  const double tolerance = 2 * kTolerance * c.logits_rms;  // both sides are fp32
  for (size_t position = 0; position < logits.size(); ++position) {
    const std::vector<int32_t>& ids = c.top5_ids[position];
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(logits[position][static_cast<size_t>(ids[i])], c.top5[position][i], tolerance)
          << c.name << " at " << position;
    }
    for (size_t id = 0; id < logits[position].size(); ++id) {
      if (std::find(ids.begin(), ids.end(), static_cast<int32_t>(id)) != ids.end()) continue;
      EXPECT_LE(logits[position][id], c.top5[position][4] + tolerance) << c.name << " at " << position << ": " << id;
    }
  }
}

TEST_P(Golden, LogitsAndGreedyTokens) {
  // The older config.json gives the same graph: one instruction set shows it.
  const bool once = std::get<1>(GetParam()) == Spelling::kConfigV4;
  const std::vector<Isa> isas = once ? std::vector<Isa>{supported_isas().back()} : supported_isas();
  for (const Isa isa : isas) {
    SCOPED_TRACE(isa_name(isa));
    const auto run = runner({.isa = isa});
    ASSERT_NE(run, nullptr);
    for (const GoldenCase& c : data_.cases) {
      const Result<Rows> logits = run->logits(c.ids);
      ASSERT_TRUE(logits.ok()) << logits.status().message();
      expect_last_logits(c, logits->back());
      expect_top5(c, *logits);
      const Result<std::vector<int32_t>> greedy = run->greedy(c.ids, c.greedy.size());
      ASSERT_TRUE(greedy.ok()) << greedy.status().message();
      EXPECT_EQ(*greedy, c.greedy) << c.name;
    }
  }
}

TEST_P(Golden, LayerByLayer) {
  const GoldenCase* c = data_.find(data_.taps_case);
  ASSERT_NE(c, nullptr);
  const auto run = runner({.mode = runtime::ExecutionMode::kEager});
  ASSERT_NE(run, nullptr);
  std::map<std::string, Rows> seen;
  run->executor().set_observer([&](std::string_view name, const TensorView& view) {
    Rows& rows = seen[std::string(name)];
    for (int64_t r = 0; r < view.rows; ++r) rows.emplace_back(view.f32(r), view.f32(r) + view.cols);
  });
  ASSERT_TRUE(run->logits(c->ids).ok());
  for (const GoldenTap& tap : data_.taps) {
    const Rows& rows = seen[tap.name];
    ASSERT_EQ(rows.size(), c->ids.size()) << tap.name;
    double sum = 0;
    for (const std::vector<float>& row : rows) {
      for (const float x : row) sum += static_cast<double>(x);
    }
    const double mean = sum / static_cast<double>(rows.size() * rows[0].size());
    EXPECT_NEAR(rms(rows), tap.rms, kTolerance * tap.rms) << tap.name;
    EXPECT_NEAR(mean, tap.mean, kTolerance * tap.rms) << tap.name;
    for (size_t i = 0; i < tap.first4.size(); ++i)
      EXPECT_NEAR(rows.back()[i], tap.first4[i], kTolerance * tap.rms) << tap.name;
  }
}

// One container is enough: the graph is the same.
class SameBits : public GoldenModel, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    load(GetParam(), golden_path(GetParam(), "model.gguf") ? Spelling::kGguf : Spelling::kConfig);
  }
};
INSTANTIATE_TEST_SUITE_P(Families, SameBits, ::testing::ValuesIn(golden_families()),
                         [](const auto& info) { return info.param; });

// One order of accumulation: whatever the mode, level, chunk or number of threads, the same bits.
TEST_P(SameBits, EveryWay) {
  const std::vector<int32_t>& ids = data_.longest().ids;
  for (const Isa isa : supported_isas()) {
    SCOPED_TRACE(isa_name(isa));
    const auto reference = runner({.isa = isa, .mode = runtime::ExecutionMode::kEager, .optimisation_level = 0});
    ASSERT_NE(reference, nullptr);
    const Result<Rows> expected = reference->logits(ids);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    for (const int threads : {1, 3}) {
      const auto run = runner({.isa = isa, .threads = threads});
      ASSERT_NE(run, nullptr);
      for (const int64_t chunk : {0, 1, 7}) {
        const Result<Rows> rows = run->logits(ids, chunk);
        ASSERT_TRUE(rows.ok()) << rows.status().message();
        EXPECT_EQ(*rows, *expected) << threads << " threads, chunks of " << chunk;
      }
    }
  }
}

}  // namespace
}  // namespace tribar::golden
