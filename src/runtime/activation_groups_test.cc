#include "runtime/activation_groups.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "graph/pipeline.h"
#include "runtime/test_runner.h"
#include "runtime/tiny_decoder.h"
#include "tensor/act_q8.h"

namespace tribar::runtime {
namespace {

constexpr TinyDecoderParams kParams{
    .hidden = 256, .heads = 4, .kv_heads = 2, .head_dim = 64, .ff = 512, .dtype = DType::kQ8_0};

std::vector<Isa> levels(bool wide_kernels) {
  std::vector<Isa> levels;
  for (const Isa isa : kAllIsas) {
    if (!isa_supported(isa)) continue;
    const kernel::LinearKernel* kernel = kernel::find_linear(isa, DType::kQ8_0, kernel::Precision::kFast);
    if ((kernel->run_wide != nullptr) == wide_kernels) levels.push_back(isa);
  }
  return levels;
}

// A decoder whose activations are quantised, and what it takes to run it.
struct Model {
  explicit Model(Isa isa) : graph(make_tiny_decoder(kParams)), weights(graph, 7), isa(isa) {
    graph::PipelineOptions options;
    options.quantize_activations = [](const graph::WeightSpec&) { return true; };
    EXPECT_TRUE(graph::optimize(&graph, options).ok());
  }
  // The largest values of few channels in the input of the first layer's attention.
  void make_outliers(float size) {
    for (size_t c = 3; c < 256; c += 64) weights.values("layer.0.norm")[c] = size;
    weights.encode("layer.0.norm");
  }
  TestRunner runner(int threads) const {
    return TestRunner(graph, weights, {.isa = isa, .precision = kernel::Precision::kFast, .threads = threads});
  }
  std::vector<ActivationGroup> choose(int threads, std::span<const int32_t> ids) {
    const TestRunner r = runner(threads);
    ThreadTeam team(threads);
    Result<std::vector<ActivationGroup>> groups =
        choose_activation_groups(&graph, {r.weights.get(), r.cache.get(), &team, isa}, ids);
    EXPECT_TRUE(groups.ok()) << groups.status().message();
    return groups.ok() ? *groups : std::vector<ActivationGroup>{};
  }

  graph::Graph graph;
  TestWeights weights;
  Isa isa;
};

std::vector<int32_t> some_ids() {
  std::vector<int32_t> ids(20);
  std::iota(ids.begin(), ids.end(), 5);
  return ids;
}

std::vector<int64_t> groups_in(const graph::Graph& graph) {
  std::vector<int64_t> groups;
  for (const graph::Node& node : graph.nodes) {
    if (node.op == graph::OpKind::kQuantize) groups.push_back(std::get<graph::QuantizeAttrs>(node.attrs).group);
  }
  return groups;
}

const ActivationGroup* find(const std::vector<ActivationGroup>& groups, std::string_view weight) {
  for (const ActivationGroup& g : groups) {
    if (g.layer.find(weight) != std::string::npos) return &g;
  }
  return nullptr;
}

TensorView row_view(std::vector<float>& row) {
  const auto cols = static_cast<int64_t>(row.size());
  return {row.data(), DType::kF32, 1, cols, cols * static_cast<int64_t>(sizeof(float))};
}

// The formula, against quantising for real: evenly spread values are off by a step / sqrt(12).
TEST(QuantizationError, PredictsWhatRoundingDoes) {
  for (const int64_t group : {act_q8::kGroup, act_q8::kWideGroup}) {
    std::vector<float> row(4096);
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    for (size_t i = 0; i < row.size(); ++i) row[i] = normal(random) * (i % 512 < 256 ? 1.0f : 20.0f);
    double error = 0, squares = 0;
    for (size_t begin = 0; begin < row.size(); begin += static_cast<size_t>(group)) {
      float peak = 0;
      for (size_t i = begin; i < begin + static_cast<size_t>(group); ++i) peak = std::max(peak, std::fabs(row[i]));
      const float step = peak / 127;
      for (size_t i = begin; i < begin + static_cast<size_t>(group); ++i) {
        error += std::pow(double(step) * std::nearbyint(row[i] / step) - row[i], 2);
        squares += double(row[i]) * row[i];
      }
    }
    EXPECT_NEAR(quantization_error(row_view(row), group) / (error / squares), 1, 0.05) << group;
  }
}

TEST(QuantizationError, SeesTheOutliersOfAGroup) {
  std::vector<float> row(512, 1.0f);
  EXPECT_DOUBLE_EQ(quantization_error(row_view(row), 32), quantization_error(row_view(row), 128));
  row[100] = 50;
  EXPECT_GT(quantization_error(row_view(row), 128), 2.5 * quantization_error(row_view(row), 32));
  std::fill(row.begin(), row.end(), 0.0f);
  EXPECT_EQ(quantization_error(row_view(row), 128), 0);
}

TEST(ActivationGroups, AreWideWhereNothingSticksOut) {
  for (const Isa isa : levels(/*wide_kernels=*/true)) {
    Model model(isa);
    const std::vector<ActivationGroup> groups = model.choose(1, some_ids());
    ASSERT_EQ(groups.size(), 9u) << "four inputs a layer and the output layer's";
    const ActivationGroup* attention = find(groups, "layer.0.q");
    ASSERT_NE(attention, nullptr);
    EXPECT_EQ(attention->layer, "layer.0.q + layer.0.k + layer.0.v");
    EXPECT_EQ(attention->cols, 256);
    EXPECT_EQ(attention->group, 128);
    EXPECT_GT(attention->error_wide, attention->error_narrow);
    EXPECT_GT(attention->error_narrow, 0);
  }
}

TEST(ActivationGroups, StayNarrowWhereAFewChannelsStickOut) {
  for (const Isa isa : levels(/*wide_kernels=*/true)) {
    Model model(isa);
    model.make_outliers(300);
    const std::vector<ActivationGroup> groups = model.choose(1, some_ids());
    const ActivationGroup* attention = find(groups, "layer.0.q");
    ASSERT_NE(attention, nullptr);
    EXPECT_EQ(attention->group, 32) << attention->error_wide;
    const ActivationGroup* head = find(groups, "head");
    ASSERT_NE(head, nullptr);
    EXPECT_EQ(head->group, 128) << head->error_wide;
    const std::vector<int64_t> in_graph = groups_in(model.graph);
    ASSERT_EQ(in_graph.size(), groups.size());
    for (size_t i = 0; i < groups.size(); ++i) EXPECT_EQ(in_graph[i], groups[i].group);
  }
}

TEST(ActivationGroups, DoNotDependOnThreads) {
  for (const Isa isa : levels(/*wide_kernels=*/true)) {
    Model one(isa), three(isa);
    const std::vector<ActivationGroup> a = one.choose(1, some_ids());
    const std::vector<ActivationGroup> b = three.choose(3, some_ids());
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].error_wide, b[i].error_wide);
      EXPECT_EQ(a[i].error_narrow, b[i].error_narrow);
    }
  }
}

TEST(ActivationGroups, WithoutAWideKernelNothingIsChosen) {
  for (const Isa isa : levels(/*wide_kernels=*/false)) {
    Model model(isa);
    EXPECT_TRUE(model.choose(1, some_ids()).empty()) << isa_name(isa);
    for (const int64_t group : groups_in(model.graph)) EXPECT_EQ(group, 32);
  }
}

TEST(ActivationGroups, CanBeSetForAllLayers) {
  for (const Isa isa : levels(/*wide_kernels=*/true)) {
    Model model(isa);
    const TestRunner narrow = model.runner(1);
    EXPECT_EQ(set_activation_groups(&model.graph, *narrow.weights, 128).size(), 9u);
    for (const int64_t group : groups_in(model.graph)) EXPECT_EQ(group, 128);
    const std::vector<float> wide_logits = model.runner(1).run_sequence(some_ids(), 20);
    set_activation_groups(&model.graph, *narrow.weights, 32);
    for (const int64_t group : groups_in(model.graph)) EXPECT_EQ(group, 32);
    EXPECT_NE(model.runner(1).run_sequence(some_ids(), 20), wide_logits);
  }
}

TEST(ActivationGroups, AModelThatComputesNoNumbersIsAnErrorAndChangesNothing) {
  for (const Isa isa : levels(/*wide_kernels=*/true)) {
    Model model(isa);
    model.weights.values("layer.1.norm")[0] = std::numeric_limits<float>::max();
    model.weights.values("layer.1.mlp_norm")[0] = std::numeric_limits<float>::max();
    model.weights.encode("layer.1.norm");
    model.weights.encode("layer.1.mlp_norm");
    TestRunner runner = model.runner(1);
    const Status status = choose_activation_groups(
                              &model.graph, {runner.weights.get(), runner.cache.get(), &runner.team, isa}, some_ids())
                              .status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status.message();
    for (const int64_t group : groups_in(model.graph)) EXPECT_EQ(group, 32);
  }
}

}  // namespace
}  // namespace tribar::runtime
