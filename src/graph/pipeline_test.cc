#include "graph/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/builder.h"
#include "graph/random_graph.h"
#include "graph/rewrite.h"

namespace tribar::graph {
namespace {

WeightSpec matrix(const std::string& name, int64_t rows, int64_t cols, WeightRole role = WeightRole::kMatrix) {
  return {name, role, {{name, 0, rows}}, DType::kF32, rows, cols};
}

int64_t count(const Graph& g, OpKind op) {
  return std::count_if(g.nodes.begin(), g.nodes.end(), [&](const Node& n) { return n.op == op; });
}

// Two linear layers on the same input, a norm computed twice, and a node that nobody reads.
Graph shared_input() {
  Graph g;
  Builder b(&g);
  const ValueId x = b.embed(b.weight(matrix("e", 10, 8, WeightRole::kEmbedding)), 1.0f);
  const ValueId norm = b.weight({"n", WeightRole::kVector, {{"n", 0, 8}}, DType::kF32, 1, 8});
  const ValueId first = b.linear(b.rms_norm(x, norm, {}), b.weight(matrix("a", 8, 8)));
  const ValueId second = b.linear(b.name("again", b.rms_norm(x, norm, {})), b.weight(matrix("b", 8, 8)));
  b.scale(first, 3.0f);
  b.set_logits(b.gather_logit_rows(b.add(first, second)));
  return g;
}

PipelineOptions quantize_all() {
  PipelineOptions o;
  o.quantize_activations = [](const WeightSpec&) { return true; };
  return o;
}

TEST(Pipeline, LevelZeroLeavesTheGraphAlone) {
  Graph g = shared_input();
  const std::string before = print(g);
  PipelineOptions options = quantize_all();
  options.level = 0;
  const Result<PipelineReport> report = optimize(&g, options);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(print(g), before);
  for (const PassReport& pass : report.value().passes) EXPECT_FALSE(pass.enabled);
}

TEST(Pipeline, SharesQuantizedInputsAndDropsDeadNodes) {
  Graph g = shared_input();
  ASSERT_TRUE(optimize(&g, quantize_all()).ok());
  EXPECT_EQ(count(g, OpKind::kRmsNorm), 1);
  EXPECT_EQ(count(g, OpKind::kQuantize), 1);
  EXPECT_EQ(count(g, OpKind::kScale), 0);
  EXPECT_EQ(count(g, OpKind::kLinear), 2);
  EXPECT_NE(print(g).find("# again"), std::string::npos) << "the name moves to the node that stays";
}

TEST(Pipeline, EachPassCanBeSwitchedOff) {
  for (const std::string_view name : pass_names()) {
    Graph g = shared_input();
    PipelineOptions options = quantize_all();
    options.disabled = {std::string(name)};
    const Result<PipelineReport> report = optimize(&g, options);
    ASSERT_TRUE(report.ok()) << report.status().message();
    for (const PassReport& pass : report.value().passes) EXPECT_EQ(pass.enabled, pass.name != name);
    EXPECT_EQ(count(g, OpKind::kQuantize), name == "select_quant" ? 0 : name == "cse" ? 2 : 1) << name;
    EXPECT_EQ(count(g, OpKind::kScale), name == "dce" ? 1 : 0) << name;
  }
}

TEST(Pipeline, CountsDumpsAndRefusesUnknownNames) {
  Graph g = shared_input();
  PipelineOptions options = quantize_all();
  std::string dumped;
  options.dump_after = "dce";
  options.dump = [&](const std::string& text) { dumped = text; };
  const Result<PipelineReport> report = optimize(&g, options);
  ASSERT_TRUE(report.ok());
  EXPECT_NE(dumped.find("quantize("), std::string::npos);
  const PassReport& dce = report.value().passes[3];
  EXPECT_EQ(dce.name, "dce");
  EXPECT_EQ(dce.nodes_after, g.nodes.size());
  EXPECT_LT(dce.nodes_after, dce.nodes_before);

  options.disabled = {"fuse_everything"};
  EXPECT_EQ(optimize(&g, options).status().code(), StatusCode::kInvalidArgument);
  options.disabled.clear();
  options.dump_after = "nothing";
  EXPECT_EQ(optimize(&g, options).status().code(), StatusCode::kInvalidArgument);
}

TEST(Pipeline, AUserPassRunsThroughTheSameWrapperAndIsVerified) {
  // x * 2 * 3 = x * 6
  const Pass fold_scales{"fold_scales", 1, [](Graph* graph, const PipelineOptions&) {
                           for (Node& node : graph->nodes) {
                             if (node.op != OpKind::kScale) continue;
                             const Node& before =
                                 graph->nodes[static_cast<size_t>(graph->value(node.inputs[0]).producer)];
                             if (before.op != OpKind::kScale) continue;
                             std::get<ScaleAttrs>(node.attrs).scale *= std::get<ScaleAttrs>(before.attrs).scale;
                             node.inputs[0] = before.inputs[0];
                           }
                         }};
  Graph g;
  Builder b(&g);
  const ValueId x = b.embed(b.weight(matrix("e", 10, 8, WeightRole::kEmbedding)), 1.0f);
  b.set_logits(b.gather_logit_rows(b.scale(b.scale(x, 2.0f), 3.0f)));
  ASSERT_TRUE(run_pass(fold_scales, &g, {}).ok());
  ASSERT_TRUE(optimize(&g, {}).ok());
  ASSERT_EQ(count(g, OpKind::kScale), 1);

  const Pass broken{"broken", 1,
                    [](Graph* graph, const PipelineOptions&) { std::swap(graph->nodes.front(), graph->nodes.back()); }};
  const Status status = run_pass(broken, &g, {}).status();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_NE(status.message().find("broken"), std::string::npos);
}

TEST(Pipeline, ScheduleBringsIndependentNodesTogether) {
  Graph g;
  Builder b(&g);
  const ValueId x = b.embed(b.weight(matrix("e", 10, 8, WeightRole::kEmbedding)), 1.0f);
  const ValueId q = b.scale(b.linear(x, b.weight(matrix("q", 8, 8))), 2.0f);
  const ValueId k = b.scale(b.linear(x, b.weight(matrix("k", 8, 8))), 3.0f);
  b.set_logits(b.gather_logit_rows(b.add(q, k)));
  ASSERT_TRUE(optimize(&g, {}).ok());
  std::vector<OpKind> order;
  for (const Node& n : g.nodes) order.push_back(n.op);
  EXPECT_EQ(order, (std::vector<OpKind>{OpKind::kEmbed, OpKind::kLinear, OpKind::kLinear, OpKind::kScale,
                                        OpKind::kScale, OpKind::kAdd, OpKind::kGatherRows}));
}

TEST(Pipeline, RandomGraphsStayValid) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Graph g = make_random_graph({.seed = seed, .nodes = 40});
    const Result<PipelineReport> report = optimize(&g, quantize_all());
    ASSERT_TRUE(report.ok()) << "seed " << seed << ": " << report.status().message();
  }
}

}  // namespace
}  // namespace tribar::graph
