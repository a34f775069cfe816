#include "graph/builder.h"

#include <gtest/gtest.h>

#include "graph/pipeline.h"

namespace tribar::graph {
namespace {

WeightSpec matrix(const std::string& name, int64_t rows, int64_t cols, WeightRole role = WeightRole::kMatrix) {
  return {name, role, {{name, 0, rows}}, DType::kF32, rows, cols};
}
WeightSpec vector(const std::string& name, int64_t size) {
  return {name, WeightRole::kVector, {{name, 0, size}}, DType::kF32, 1, size};
}

// One layer with everything a decoder has: embed, norm, attention with rope and cache, gated MLP, head.
Graph one_layer() {
  Graph g;
  Builder b(&g);
  const int32_t layer = b.kv_layer({.kv_heads = 1, .k_dim = 4, .v_dim = 4, .window = 0});
  const ValueId x = b.name("embed", b.embed(b.weight(matrix("embd", 10, 8, WeightRole::kEmbedding)), 2.0f));
  const ValueId h = b.rms_norm(x, b.weight(vector("norm", 8)), {.eps = 1e-5f});
  const ValueId table = b.rope_table({.inv_freq = {1.0f, 0.1f}});
  const RopeAttrs rope_q{.heads = 2, .head_dim = 4};
  const RopeAttrs rope_k{.heads = 1, .head_dim = 4};
  const ValueId q = b.rope(b.linear(h, b.weight(matrix("q", 8, 8)), b.weight(vector("q_bias", 8))), table, rope_q);
  const ValueId k = b.rope(b.linear(h, b.weight(matrix("k", 4, 8))), table, rope_k);
  const ValueId v = b.linear(h, b.weight(matrix("v", 4, 8)));
  b.kv_append(k, v, layer);
  const ValueId o = b.linear(b.attention(q, {.layer = layer, .heads = 2, .scale = 0.5f}), b.weight(matrix("o", 8, 8)));
  const ValueId x2 = b.add(x, b.name("layer.0.attn", o));
  const ValueId m = b.glu(b.linear(x2, b.weight(matrix("gate", 16, 8))), b.linear(x2, b.weight(matrix("up", 16, 8))),
                          Activation::kSilu);
  const ValueId y = b.add(x2, b.linear(m, b.weight(matrix("down", 8, 16))));
  b.set_logits(b.softcap(b.linear(b.gather_logit_rows(y), b.weight(matrix("head", 10, 8))), 30.0f));
  return g;
}

TEST(Builder, InfersShapesAndVerifies) {
  const Graph g = one_layer();
  EXPECT_TRUE(verify(g).ok()) << verify(g).message();
  EXPECT_EQ(g.value(g.logits).shape, (Shape{RowSymbol::kLogitRows, 0, 10}));
  EXPECT_EQ(g.value(g.ids).dtype, DType::kI32);
}

TEST(Print, ShowsOneNodeALine) {
  const std::string text = print(one_layer());
  EXPECT_NE(text.find("= embed($ids, w:embd[10,8 F32]) {scale=2} : T x 8 f32  # embed\n"), std::string::npos) << text;
  EXPECT_NE(text.find("w:q[8,8 F32], w:q_bias[8 F32]) : T x 8 f32\n"), std::string::npos) << text;
  EXPECT_NE(text.find("kv_append("), std::string::npos);
  EXPECT_NE(text.find(": R x 10 f32\nreturn %"), std::string::npos) << text;
}

TEST(Verify, FindsEachKindOfDamage) {
  const auto damaged = [](auto&& damage) {
    Graph g = one_layer();
    damage(g);
    return verify(g).message();
  };
  const auto node_of = [](Graph& g, OpKind op) -> Node& {
    for (Node& n : g.nodes) {
      if (n.op == op) return n;
    }
    return g.nodes.front();
  };
  EXPECT_EQ(damaged([](Graph&) {}), "");
  EXPECT_NE(damaged([](Graph& g) { g.logits = kNoValue; }), "");
  EXPECT_NE(damaged([](Graph& g) { g.ids = kNoValue; }), "");
  EXPECT_NE(damaged([](Graph& g) { std::swap(g.nodes[0], g.nodes[1]); }), "");
  EXPECT_NE(damaged([](Graph& g) { g.nodes.push_back(g.nodes[0]); }), "") << "made twice";
  EXPECT_NE(damaged([&](Graph& g) { node_of(g, OpKind::kAdd).inputs[1] = node_of(g, OpKind::kGlu).outputs[0]; }), "");
  EXPECT_NE(damaged([&](Graph& g) { node_of(g, OpKind::kRmsNorm).attrs = NoAttrs{}; }), "");
  EXPECT_NE(damaged([&](Graph& g) { g.value(node_of(g, OpKind::kEmbed).outputs[0]).shape.cols = 9; }), "");
  EXPECT_NE(damaged([&](Graph& g) { std::get<AttentionAttrs>(node_of(g, OpKind::kAttention).attrs).layer = 7; }), "");
  EXPECT_NE(damaged([](Graph& g) { g.weights[0].pieces[0].row_count = 3; }), "");
  EXPECT_NE(damaged([](Graph& g) {
              size_t i = 0;
              while (g.nodes[i].op != OpKind::kKvAppend) ++i;
              std::swap(g.nodes[i], g.nodes[i + 1]);
            }),
            "")
      << "attention before kv_append";
}

}  // namespace
}  // namespace tribar::graph
