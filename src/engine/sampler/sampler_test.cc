#include "engine/sampler/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "engine/sampler/philox.h"

namespace tribar::engine {
namespace {

using testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> random_row(size_t size, uint64_t seed) {
  std::vector<float> row(size);
  // Sum of four: roughly normal, as real logits are.
  for (size_t i = 0; i < size; ++i) {
    double sum = 0;
    for (uint64_t j = 0; j < 4; ++j) sum += uniform(seed, i * 4 + j) - 0.5;
    row[i] = static_cast<float>(sum * 8);
  }
  return row;
}

std::vector<double> probabilities(const SamplingParams& params, const std::vector<float>& row,
                                  const std::vector<int32_t>& prompt = {}, const std::vector<int32_t>& output = {}) {
  Sampler sampler(params, prompt);
  for (int32_t id : output) sampler.accept(id);
  Result<const Candidates*> d = sampler.distribution(row);
  EXPECT_TRUE(d.ok()) << d.status().message();
  std::vector<double> p(row.size(), 0.0);
  for (const Candidate& c : (*d)->items()) p[static_cast<size_t>(c.id)] = c.weight / (*d)->total_weight();
  return p;
}

// The definitions written down a second time: full sorts, one pass after the other over plain probabilities.
class Oracle {
 public:
  explicit Oracle(std::vector<double> logits) : logits_(std::move(logits)) {}

  void temperature(double t) {
    for (double& l : logits_) l /= t;
  }
  std::vector<double> softmax() const {
    const double top = *std::max_element(logits_.begin(), logits_.end());
    std::vector<double> p(logits_.size());
    for (size_t i = 0; i < p.size(); ++i) p[i] = std::exp(logits_[i] - top);
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& x : p) x /= sum;
    return p;
  }
  void min_p(double m) {
    const std::vector<double> p = softmax();
    const double top = *std::max_element(p.begin(), p.end());
    drop([&](size_t i) { return p[i] < m * top; });
  }
  void top_k(int64_t k) {
    if (k >= static_cast<int64_t>(logits_.size())) return;
    std::vector<double> sorted = logits_;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const double kth = sorted[static_cast<size_t>(k - 1)];
    drop([&](size_t i) { return logits_[i] < kth; });
  }
  void top_p(double mass) {
    keep_until(mass, [](double p, double) { return -p; });
  }
  void typical(double mass) {
    keep_until(mass, [](double p, double entropy) { return p > 0 ? std::fabs(-std::log(p) - entropy) : INFINITY; });
  }

 private:
  template <typename Fn>
  void drop(Fn fn) {
    std::vector<size_t> dropped;
    for (size_t i = 0; i < logits_.size(); ++i) {
      if (fn(i)) dropped.push_back(i);
    }
    for (size_t i : dropped) logits_[i] = -INFINITY;
  }
  template <typename Rank>
  void keep_until(double mass, Rank rank) {
    const std::vector<double> p = softmax();
    double entropy = 0;
    for (double x : p) entropy -= x > 0 ? x * std::log(x) : 0;
    std::vector<size_t> order(p.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return rank(p[a], entropy) < rank(p[b], entropy); });
    std::vector<bool> kept(p.size(), false);
    double sum = 0;
    for (size_t i : order) {
      if (sum >= mass) break;
      kept[i] = true;
      sum += p[i];
    }
    drop([&](size_t i) { return !kept[i]; });
  }

  std::vector<double> logits_;
};

void expect_equal(const std::vector<double>& got, const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i] > 0, want[i] > 0) << "token " << i;
    EXPECT_NEAR(got[i], want[i], 1e-12) << "token " << i;
  }
}

TEST(Sampler, MatchesTheDefinitionOnLargeVocabularies) {
  for (size_t size : {1, 5, 64, 1000, 20000}) {
    for (int64_t k : {0, 1, 7, 50, 3000}) {
      for (double m : {0.0, 0.05, 0.5}) {
        SamplingParams params;
        params.temperature = 0.8;
        params.top_k = k;
        params.min_p = m;
        params.top_p = k == 7 ? 1.0 : 0.9;
        params.typical_p = m == 0.5 ? 0.7 : 1.0;
        const std::vector<float> row = random_row(size, size + static_cast<size_t>(k));
        Oracle oracle(std::vector<double>(row.begin(), row.end()));
        oracle.temperature(params.temperature);
        if (m > 0) oracle.min_p(m);
        if (k > 0) oracle.top_k(k);
        if (params.top_p < 1) oracle.top_p(params.top_p);
        if (params.typical_p < 1) oracle.typical(params.typical_p);
        SCOPED_TRACE(testing::Message() << size << " tokens, top_k " << k << ", min_p " << m);
        expect_equal(probabilities(params, row), oracle.softmax());
      }
    }
  }
}

TEST(Sampler, AdjustsBeforeItFilters) {
  // The bias lifts a token over all others of a large row; the penalty sinks the one that led.
  std::vector<float> row = random_row(5000, 9);
  row[4000] = 30;
  SamplingParams params;
  params.temperature = 0.5;
  params.top_k = 2;
  params.repetition_penalty = 2.0;
  params.frequency_penalty = 1.0;
  params.presence_penalty = 0.5;
  params.logit_bias = {{17, 40.0}, {18, 38.0}};
  const std::vector<double> p = probabilities(params, row, {4000}, {4000, 4000});
  std::vector<double> adjusted(row.begin(), row.end());
  adjusted[17] += 40;
  adjusted[18] += 38;
  adjusted[4000] = 30 / 2.0 - 2 * 1.0 - 0.5;
  Oracle oracle(adjusted);
  oracle.temperature(0.5);
  oracle.top_k(2);
  expect_equal(p, oracle.softmax());
}

TEST(Sampler, GreedyTakesTheLowestOfEquals) {
  SamplingParams params;
  params.temperature = 0;
  std::vector<float> row(1000, 0.5f);
  row[700] = row[300] = 2.0f;
  EXPECT_EQ(*Sampler(params, {}).sample(row), 300);
  params.logit_bias = {{900, 1.5}};
  EXPECT_EQ(*Sampler(params, {}).sample(row), 300);
  params.logit_bias = {{100, 1.5}};
  EXPECT_EQ(*Sampler(params, {}).sample(row), 100);
  params.logit_bias = {{300, -1.0}};
  EXPECT_EQ(*Sampler(params, {}).sample(row), 700);
}

TEST(Sampler, ExtremeTemperaturesStayFinite) {
  SamplingParams params;
  params.temperature = 1e-300;
  EXPECT_EQ(probabilities(params, {1, 3, 2}), (std::vector<double>{0, 1, 0}));
  params.temperature = 1e300;
  for (double p : probabilities(params, {1, 3, 2})) EXPECT_NEAR(p, 1.0 / 3, 1e-12);
}

TEST(Sampler, RefusesBrokenLogits) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (double temperature : {0.0, 1.0}) {
    SamplingParams params;
    params.temperature = temperature;
    EXPECT_EQ(Sampler(params, {}).sample(std::vector<float>{1, nan}).status().code(), StatusCode::kDataLoss);
    EXPECT_EQ(Sampler(params, {}).sample(std::vector<float>{1, kInfinity}).status().code(), StatusCode::kDataLoss);
    EXPECT_EQ(Sampler(params, {}).sample(std::vector<float>{-kInfinity}).status().code(), StatusCode::kDataLoss);
    params.logit_bias = {{1, 5.0}};
    EXPECT_EQ(Sampler(params, {}).sample(std::vector<float>{1, nan}).status().code(), StatusCode::kDataLoss);
    params.repetition_penalty = 1e-300;
    EXPECT_FALSE(Sampler(params, std::vector<int32_t>{0}).sample(std::vector<float>{1e30f, 0}).ok());
  }
}

TEST(Sampler, SameSeedSameTokensOtherSeedOtherTokens) {
  const std::vector<float> row = random_row(500, 4);
  const auto tokens = [&](uint64_t seed) {
    SamplingParams params;
    params.seed = seed;
    Sampler sampler(params, {});
    std::vector<int32_t> drawn;
    for (int i = 0; i < 50; ++i) drawn.push_back(*sampler.sample(row));
    return drawn;
  };
  EXPECT_EQ(tokens(1), tokens(1));
  EXPECT_NE(tokens(1), tokens(2));
}

// A change of these tokens breaks every recorded text: they may only change together with a note in the changelog.
TEST(Sampler, DrawsTheseTokens) {
  SamplingParams params;
  params.seed = 42;
  Sampler sampler(params, {});
  std::vector<int32_t> drawn;
  for (int i = 0; i < 8; ++i) drawn.push_back(*sampler.sample(std::vector<float>{0, 1, 2, 1, 0, 0.5f}));
  std::vector<int32_t> expected;
  for (uint64_t n = 0; n < 8; ++n) {
    const double w[] = {1, std::exp(1.0), std::exp(2.0), std::exp(1.0), 1, std::exp(0.5)};
    double left = uniform(42, n) * (w[0] + w[1] + w[2] + w[3] + w[4] + w[5]);
    int32_t id = 0;
    while (left >= w[id]) left -= w[id++];
    expected.push_back(id);
  }
  EXPECT_EQ(drawn, expected);
}

// 200,000 draws, chi-square over tokens with an expected count of at least 5 (cases/sampling/README.md).
TEST(Sampler, DrawsFromTheDistribution) {
  const std::vector<float> row = random_row(40, 8);
  SamplingParams params;
  params.temperature = 1.3;
  params.top_p = 0.95;
  params.seed = 11;
  const std::vector<double> p = probabilities(params, row);
  Sampler sampler(params, {});
  constexpr int kDraws = 200000;
  std::vector<int> count(row.size(), 0);
  for (int i = 0; i < kDraws; ++i) ++count[static_cast<size_t>(*sampler.sample(row))];
  double chi_square = 0;
  int cells = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    if (p[i] == 0) {
      EXPECT_EQ(count[i], 0);
    }
    if (p[i] * kDraws < 5) continue;
    chi_square += std::pow(count[i] - p[i] * kDraws, 2) / (p[i] * kDraws);
    ++cells;
  }
  // Wilson-Hilferty: the cube root is nearly normal; 4.75 standard deviations are p = 1e-6.
  const double f = cells - 1;
  const double z = (std::cbrt(chi_square / f) - (1 - 2 / (9 * f))) / std::sqrt(2 / (9 * f));
  EXPECT_LT(z, 4.75);
}

TEST(SamplingParams, NamesWhatIsOutOfRange) {
  const auto message = [](auto change) {
    SamplingParams p;
    change(p);
    return validate(p, 10).message();
  };
  EXPECT_EQ(message([](SamplingParams&) {}), "");
  EXPECT_EQ(message([](SamplingParams& p) { p.temperature = -1; }), "temperature is -1 but must be at least 0");
  EXPECT_THAT(message([](SamplingParams& p) { p.temperature = NAN; }), HasSubstr("temperature is nan"));
  EXPECT_THAT(message([](SamplingParams& p) { p.temperature = INFINITY; }), HasSubstr("temperature is inf"));
  EXPECT_EQ(message([](SamplingParams& p) { p.top_p = 0; }), "top_p is 0 but must be more than 0 and at most 1");
  EXPECT_THAT(message([](SamplingParams& p) { p.min_p = 1.5; }), HasSubstr("min_p is 1.5 but must be from 0 to 1"));
  EXPECT_THAT(message([](SamplingParams& p) { p.typical_p = 2; }), HasSubstr("typical_p"));
  EXPECT_THAT(message([](SamplingParams& p) { p.repetition_penalty = 0; }), HasSubstr("must be more than 0"));
  EXPECT_THAT(message([](SamplingParams& p) { p.presence_penalty = 3; }), HasSubstr("presence_penalty"));
  EXPECT_THAT(message([](SamplingParams& p) { p.frequency_penalty = -3; }), HasSubstr("frequency_penalty"));
  EXPECT_THAT(message([](SamplingParams& p) { p.logit_bias = {{10, 1}}; }), HasSubstr("token 10"));
  EXPECT_THAT(message([](SamplingParams& p) { p.logit_bias = {{-1, 1}}; }), HasSubstr("token -1"));
  EXPECT_THAT(message([](SamplingParams& p) { p.logit_bias = {{1, 101}}; }), HasSubstr("a logit_bias is 101"));
  EXPECT_EQ(message([](SamplingParams& p) { p.top_k = -1; }), "");
}

}  // namespace
}  // namespace tribar::engine
