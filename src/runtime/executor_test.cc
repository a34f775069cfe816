#include "runtime/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "graph/pipeline.h"
#include "graph/random_graph.h"
#include "runtime/test_runner.h"
#include "runtime/tiny_decoder.h"

namespace tribar::runtime {
namespace {

std::vector<int32_t> random_ids(int64_t count, int64_t vocab, uint32_t seed = 7) {
  std::mt19937 random(seed);
  std::vector<int32_t> ids(static_cast<size_t>(count));
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % static_cast<uint32_t>(vocab));
  return ids;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// The decoder of tiny_decoder.h as plain loops in double, every position computed from scratch.
class NaiveDecoder {
 public:
  using Rows = std::vector<std::vector<double>>;
  NaiveDecoder(const TinyDecoderParams& params, TestWeights* weights) : p_(params), weights_(weights) {}

  Rows run(const std::vector<int32_t>& ids) const {
    Rows x;
    for (const int32_t id : ids) {
      const float* row = weights_->values("embd").data() + id * p_.hidden;
      x.emplace_back(row, row + p_.hidden);
    }
    for (int64_t l = 0; l < p_.layers; ++l) {
      const std::string prefix = "layer." + std::to_string(l);
      add(&x, attention(prefix, norm(prefix + ".norm", x)));
      const Rows m = norm(prefix + ".mlp_norm", x);
      Rows gate = linear(prefix + ".gate", m);
      const Rows up = linear(prefix + ".up", m);
      for (size_t t = 0; t < gate.size(); ++t) {
        for (size_t i = 0; i < gate[t].size(); ++i) gate[t][i] = gate[t][i] / (1 + std::exp(-gate[t][i])) * up[t][i];
      }
      add(&x, linear(prefix + ".down", gate));
    }
    return linear("head", norm("final", x));
  }

 private:
  static void add(Rows* x, const Rows& y) {
    for (size_t t = 0; t < x->size(); ++t) {
      for (size_t i = 0; i < (*x)[t].size(); ++i) (*x)[t][i] += y[t][i];
    }
  }
  Rows norm(const std::string& name, const Rows& x) const {
    Rows y = x;
    for (std::vector<double>& row : y) {
      double sum = 0;
      for (const double v : row) sum += v * v;
      const double scale = 1 / std::sqrt(sum / static_cast<double>(row.size()) + 1e-5);
      for (size_t i = 0; i < row.size(); ++i) row[i] *= scale * weights_->values(name)[i];
    }
    return y;
  }
  Rows linear(const std::string& name, const Rows& x) const {
    const std::vector<float>& w = weights_->values(name);
    Rows y;
    for (const std::vector<double>& row : x) {
      std::vector<double> out(w.size() / row.size());
      for (size_t n = 0; n < out.size(); ++n) {
        for (size_t k = 0; k < row.size(); ++k) out[n] += row[k] * w[n * row.size() + k];
      }
      y.push_back(out);
    }
    return y;
  }
  Rows rope(Rows x, int64_t heads) const {
    const double inv_freq[3] = {1.0f, 0.3f, 0.05f};
    for (size_t t = 0; t < x.size(); ++t) {
      for (int64_t h = 0; h < heads; ++h) {
        double* v = x[t].data() + h * p_.head_dim;
        for (int64_t i = 0; i < 3; ++i) {
          const double c = std::cos(static_cast<double>(t) * inv_freq[i]);
          const double s = std::sin(static_cast<double>(t) * inv_freq[i]);
          const double a = v[i];
          const double b = v[i + 3];
          v[i] = a * c - b * s;
          v[i + 3] = b * c + a * s;
        }
      }
    }
    return x;
  }
  Rows attention(const std::string& prefix, const Rows& h) const {
    const Rows q = rope(linear(prefix + ".q", h), p_.heads);
    const Rows k = rope(linear(prefix + ".k", h), p_.kv_heads);
    const Rows v = linear(prefix + ".v", h);
    Rows y(h.size(), std::vector<double>(static_cast<size_t>(p_.heads * p_.head_dim)));
    for (int64_t t = 0; t < static_cast<int64_t>(h.size()); ++t) {
      for (int64_t head = 0; head < p_.heads; ++head) attend(q, k, v, t, head, &y[static_cast<size_t>(t)]);
    }
    return linear(prefix + ".o", y);
  }
  void attend(const Rows& q, const Rows& k, const Rows& v, int64_t t, int64_t head, std::vector<double>* y) const {
    const auto d = p_.head_dim;
    const int64_t kv = head / (p_.heads / p_.kv_heads);
    double total = 0;
    for (int64_t s = 0; s <= t; ++s) {
      if (p_.window > 0 && s <= t - p_.window) continue;
      double score = 0;
      for (int64_t i = 0; i < d; ++i) {
        score += q[static_cast<size_t>(t)][static_cast<size_t>(head * d + i)] *
                 k[static_cast<size_t>(s)][static_cast<size_t>(kv * d + i)];
      }
      const double weight = std::exp(score * 0.4);
      total += weight;
      for (int64_t i = 0; i < d; ++i) {
        (*y)[static_cast<size_t>(head * d + i)] += weight * v[static_cast<size_t>(s)][static_cast<size_t>(kv * d + i)];
      }
    }
    for (int64_t i = 0; i < d; ++i) (*y)[static_cast<size_t>(head * d + i)] /= total;
  }

  TinyDecoderParams p_;
  TestWeights* weights_;
};

TEST(Executor, ComputesWhatPlainLoopsCompute) {
  for (const int64_t window : {0, 5}) {
    const TinyDecoderParams params{.window = window};
    const graph::Graph g = make_tiny_decoder(params);
    TestWeights weights(g, 3);
    const std::vector<int32_t> ids = random_ids(21, params.vocab);
    const NaiveDecoder::Rows expected = NaiveDecoder(params, &weights).run(ids);
    for (const ExecutionMode mode : {ExecutionMode::kPlanned, ExecutionMode::kEager}) {
      const std::vector<float> got = TestRunner(g, weights, {.mode = mode, .threads = 2}).run_sequence(ids, 8);
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_NEAR(got[i], expected[i / 50][i % 50], 1e-5) << "window " << window << " logit " << i;
      }
    }
  }
}

TEST(Executor, BitsDependOnNothingButTheSequence) {
  const TinyDecoderParams params{.dtype = DType::kF16};
  graph::Graph g = make_tiny_decoder(params);
  const TestWeights weights(g, 5);
  const std::vector<int32_t> ids = random_ids(37, params.vocab);
  const std::vector<float> expected = TestRunner(g, weights, {.mode = ExecutionMode::kEager}).run_sequence(ids, 37);
  for (const Isa isa : {Isa::kReference}) {
    for (const ExecutionMode mode : {ExecutionMode::kPlanned, ExecutionMode::kEager}) {
      for (const int threads : {1, 2, 3}) {
        TestRunner runner(g, weights, {.mode = mode, .isa = isa, .threads = threads});
        for (const int64_t chunk : {1, 7, 16, 37}) {
          EXPECT_TRUE(same_bits(runner.run_sequence(ids, chunk), expected)) << threads << " threads, chunk " << chunk;
        }
      }
    }
  }
}

TEST(Executor, RandomGraphsGiveTheSameBitsEagerAndPlanned) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    graph::Graph g = graph::make_random_graph({.seed = seed, .nodes = 25});
    const TestWeights weights(g, seed);
    const std::vector<int32_t> ids = random_ids(9, 11, seed);
    const std::vector<float> as_built = TestRunner(g, weights, {.mode = ExecutionMode::kEager}).run_sequence(ids, 9);
    ASSERT_TRUE(graph::optimize(&g, {}).ok());
    const std::vector<float> eager = TestRunner(g, weights, {.mode = ExecutionMode::kEager}).run_sequence(ids, 4);
    TestRunner planned(g, weights, {.threads = 1 + static_cast<int>(seed % 3)});
    EXPECT_TRUE(same_bits(as_built, eager)) << "seed " << seed;
    EXPECT_TRUE(same_bits(as_built, planned.run_sequence(ids, 9))) << "seed " << seed;
    EXPECT_TRUE(same_bits(as_built, planned.run_sequence(ids, 2))) << "seed " << seed;
  }
}

TEST(Executor, QuantizedActivationsAreSharedAndGiveTheSameBitsInEveryMode) {
  const TinyDecoderParams params{.hidden = 32, .ff = 64, .dtype = DType::kQ8_0};
  graph::Graph g =
      make_tiny_decoder({.hidden = 32, .heads = 4, .kv_heads = 2, .head_dim = 8, .ff = 64, .dtype = DType::kQ8_0});
  const TestWeights weights(g, 11);
  const std::vector<int32_t> ids = random_ids(20, params.vocab);
  const std::vector<float> exact = TestRunner(g, weights, {}).run_sequence(ids, 20);
  graph::PipelineOptions options;
  options.quantize_activations = [](const graph::WeightSpec& w) {
    return kernel::find_linear(Isa::kReference, w.dtype, kernel::Precision::kFast)->activation == DType::kQ8Act;
  };
  ASSERT_TRUE(graph::optimize(&g, options).ok());
  const TestRunnerOptions fast{.precision = kernel::Precision::kFast};
  const std::vector<float> planned = TestRunner(g, weights, fast).run_sequence(ids, 20);
  TestRunnerOptions eager = fast;
  eager.mode = ExecutionMode::kEager;
  eager.threads = 3;
  EXPECT_TRUE(same_bits(planned, TestRunner(g, weights, eager).run_sequence(ids, 3)));
  double error = 0;
  for (size_t i = 0; i < exact.size(); ++i) error = std::max(error, std::fabs(double(exact[i]) - planned[i]));
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 0.1);
}

TEST(Executor, SequencesOfOneStepDoNotTouchEachOther) {
  const graph::Graph g = make_tiny_decoder({});
  const TestWeights weights(g, 2);
  const std::vector<int32_t> a = random_ids(9, 50, 1);
  const std::vector<int32_t> b = random_ids(13, 50, 2);
  TestRunner runner(g, weights, {.threads = 2});
  const std::vector<float> expected_a = runner.run_sequence(a, 9);
  const std::vector<float> expected_b = runner.run_sequence(b, 13);

  BlockTable table_a, table_b;
  ASSERT_TRUE(runner.allocator->grow(&table_b, 13).ok());
  ASSERT_TRUE(runner.allocator->grow(&table_a, 9).ok());
  // First eight tokens of a alone, then its last one beside all of b.
  const SequenceSlice first{0, 8, table_a.blocks, 9};
  ASSERT_TRUE(runner.executor->run({std::span(a).first(8), {&first, 1}, {}}).ok());
  std::vector<int32_t> ids = b;
  ids.push_back(a.back());
  const SequenceSlice slices[] = {{0, 13, table_b.blocks, 13}, {8, 1, table_a.blocks, 9}};
  const std::vector<int32_t> rows = {13, 12};
  const Result<Logits> logits = runner.executor->run({ids, slices, rows});
  ASSERT_TRUE(logits.ok());
  const auto last_row = [](const std::vector<float>& all) { return std::vector<float>(all.end() - 50, all.end()); };
  const auto row = [&](int64_t r) {
    return std::vector<float>(logits.value().row(r).begin(), logits.value().row(r).end());
  };
  EXPECT_TRUE(same_bits(row(0), last_row(expected_a)));
  EXPECT_TRUE(same_bits(row(1), last_row(expected_b)));
}

TEST(Executor, RopeFactorsDivideTheFrequenciesAndTheLengthChoosesTheList) {
  const auto build = [](bool factors) {
    graph::Graph g;
    graph::Builder b(&g);
    const auto vector = [&](const std::string& name) {
      return b.weight({name, graph::WeightRole::kVector, {{name, 0, 2}}, DType::kF32, 1, 2});
    };
    const graph::ValueId x =
        b.embed(b.weight({"e", graph::WeightRole::kEmbedding, {{"e", 0, 8}}, DType::kF32, 8, 4}), 1.0f);
    graph::RopeTableAttrs attrs;
    attrs.switch_length = 4;
    attrs.inv_freq = factors ? std::vector<float>{1.0f, 0.5f} : std::vector<float>{0.5f, 0.125f};
    if (!factors) attrs.inv_freq_long = {0.25f, 0.0625f};
    const graph::ValueId table = factors ? b.rope_table(attrs, vector("short"), vector("long")) : b.rope_table(attrs);
    b.set_logits(b.gather_logit_rows(b.rope(x, table, {.heads = 1, .head_dim = 4})));
    return g;
  };
  graph::Graph with = build(true);
  graph::Graph without = build(false);
  TestWeights weights(with, 1);
  weights.values("short") = {2.0f, 4.0f};
  weights.values("long") = {4.0f, 8.0f};
  weights.encode("short");
  weights.encode("long");
  const std::vector<float> short_run = TestRunner(without, weights, {}).run_sequence(std::vector<int32_t>{1, 2, 3}, 3);
  const std::vector<float> long_run =
      TestRunner(without, weights, {}).run_sequence(std::vector<int32_t>{1, 2, 3, 4, 5}, 2);
  EXPECT_TRUE(same_bits(TestRunner(with, weights, {}).run_sequence(std::vector<int32_t>{1, 2, 3}, 1), short_run));
  EXPECT_TRUE(same_bits(TestRunner(with, weights, {}).run_sequence(std::vector<int32_t>{1, 2, 3, 4, 5}, 5), long_run));
  EXPECT_FALSE(same_bits(short_run, std::vector<float>(long_run.begin(), long_run.begin() + 12)));
}

TEST(Executor, TheEagerObserverSeesEveryNamedValueInOrder) {
  const graph::Graph g = make_tiny_decoder({.layers = 2});
  const TestWeights weights(g, 2);
  TestRunner runner(g, weights, {.mode = ExecutionMode::kEager});
  std::vector<std::string> seen;
  runner.executor->set_observer([&](std::string_view name, const TensorView& value) {
    seen.emplace_back(name);
    EXPECT_EQ(value.rows, 3);
    EXPECT_EQ(value.cols, 24);
  });
  runner.run_sequence(std::vector<int32_t>{1, 2, 3}, 3);
  EXPECT_THAT(seen, testing::ElementsAre("embed", "layer.0.attn", "layer.0", "layer.1.attn", "layer.1"));
  EXPECT_GT(runner.executor->memory().no_reuse_bytes, runner.executor->memory().lower_bound_bytes);
}

class ExecutorLimits : public testing::TestWithParam<ExecutionMode> {};
INSTANTIATE_TEST_SUITE_P(Modes, ExecutorLimits, testing::Values(ExecutionMode::kPlanned, ExecutionMode::kEager));

TEST_P(ExecutorLimits, RefusesImpossibleSteps) {
  const graph::Graph g = make_tiny_decoder({});
  const TestWeights weights(g, 2);
  TestRunner runner(g, weights, {.mode = GetParam(), .max_tokens = 4, .block_tokens = 2, .blocks = 4});
  const std::vector<int32_t> ids = {1, 2, 3};
  const std::vector<int32_t> blocks = {0, 1};
  const std::vector<int32_t> rows = {2};
  const SequenceSlice good{0, 3, blocks, 3};
  const auto run = [&](std::span<const int32_t> i, const SequenceSlice& s, std::span<const int32_t> r) {
    return runner.executor->run({i, {&s, 1}, r}).status().code();
  };
  EXPECT_EQ(run(ids, good, rows), StatusCode::kOk);
  constexpr StatusCode kRefused = StatusCode::kInvalidArgument;
  EXPECT_EQ(run({}, good, {}), kRefused);
  EXPECT_EQ(run(std::vector<int32_t>{1, 2, 50}, good, rows), kRefused) << "id";
  EXPECT_EQ(run(std::vector<int32_t>{1, -1, 3}, good, rows), kRefused) << "id";
  EXPECT_EQ(run(std::vector<int32_t>{1, 2, 3, 4, 5}, {0, 5, blocks, 5}, rows), kRefused) << "max_tokens";
  EXPECT_EQ(run(ids, {0, 2, blocks, 3}, rows), kRefused) << "slice too short";
  EXPECT_EQ(run(ids, {-1, 3, blocks, 3}, rows), kRefused) << "start";
  EXPECT_EQ(run(ids, {INT64_MAX, 3, blocks, 3}, rows), kRefused) << "start";
  EXPECT_EQ(run(ids, {2, 3, blocks, 5}, rows), kRefused) << "block table too short";
  EXPECT_EQ(run(ids, {0, 3, std::vector<int32_t>{0, 4}, 3}, rows), kRefused) << "no such block";
  EXPECT_EQ(run(ids, {0, 3, std::vector<int32_t>{0, -1}, 3}, rows), kRefused) << "no such block";
  EXPECT_EQ(run(ids, good, std::vector<int32_t>{3}), kRefused) << "row";
  EXPECT_EQ(run(ids, good, std::vector<int32_t>{-1}), kRefused) << "row";
  EXPECT_EQ(run(ids, good, std::vector<int32_t>{0, 0, 0, 0, 0}), kRefused) << "max_logit_rows";
  EXPECT_EQ(run(ids, good, rows), StatusCode::kOk) << "a refused step leaves no trace";
}

TEST_P(ExecutorLimits, LogitsThatAreNoNumbersAreAnError) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const graph::Graph g = make_tiny_decoder({});
    TestWeights weights(g, 2);
    weights.values("layer.1.down")[5] = bad;
    weights.encode("layer.1.down");
    TestRunner runner(g, weights, {.mode = GetParam(), .threads = 2});
    BlockTable table;
    ASSERT_TRUE(runner.allocator->grow(&table, 2).ok());
    const SequenceSlice slice{0, 2, table.blocks, 2};
    const std::vector<int32_t> ids = {1, 2};
    EXPECT_TRUE(runner.executor->run({ids, {&slice, 1}, {}}).ok()) << "nobody asked for logits";
    const std::vector<int32_t> rows = {1};
    EXPECT_EQ(runner.executor->run({ids, {&slice, 1}, rows}).status().code(), StatusCode::kDataLoss);
  }
}

}  // namespace
}  // namespace tribar::runtime
