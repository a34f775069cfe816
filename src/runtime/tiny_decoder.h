// A decoder of one or more layers with odd sizes, for tests of the runtime: embed, norm, rope, grouped attention,
// gated MLP, tied to no model family.
//
// Threads: pure function.
#pragma once

#include <cstdint>
#include <string>

#include "graph/builder.h"

namespace tribar::runtime {

struct TinyDecoderParams {
  int64_t layers = 2;
  int64_t hidden = 24;
  int64_t heads = 4;
  int64_t kv_heads = 2;
  int64_t head_dim = 6;
  int64_t ff = 40;
  int64_t vocab = 50;
  int64_t window = 0;
  DType dtype = DType::kF32;
  int64_t rope_switch_length = 0;  // > 0: other frequencies for longer sequences
};

inline graph::Graph make_tiny_decoder(const TinyDecoderParams& p) {
  using graph::ValueId;
  graph::Graph g;
  graph::Builder b(&g);
  const auto matrix = [&](const std::string& name, int64_t rows, int64_t cols) {
    return b.weight({name, graph::WeightRole::kMatrix, {{name, 0, rows}}, p.dtype, rows, cols});
  };
  const auto norm = [&](const std::string& name, ValueId x) {
    const ValueId w = b.weight({name, graph::WeightRole::kVector, {{name, 0, p.hidden}}, DType::kF32, 1, p.hidden});
    return b.rms_norm(x, w, {.eps = 1e-5f});
  };
  ValueId x = b.embed(
      b.weight({"embd", graph::WeightRole::kEmbedding, {{"embd", 0, p.vocab}}, p.dtype, p.vocab, p.hidden}), 1.0f);
  b.name("embed", x);
  graph::RopeTableAttrs rope;
  rope.inv_freq = {1.0f, 0.3f, 0.05f};
  rope.switch_length = p.rope_switch_length;
  if (p.rope_switch_length > 0) rope.inv_freq_long = {0.7f, 0.2f, 0.01f};
  const ValueId table = b.rope_table(rope);
  for (int64_t l = 0; l < p.layers; ++l) {
    const std::string prefix = "layer." + std::to_string(l);
    const int32_t kv = b.kv_layer({p.kv_heads, p.head_dim, p.head_dim, p.window});
    const ValueId h = norm(prefix + ".norm", x);
    const ValueId q = b.rope(b.linear(h, matrix(prefix + ".q", p.heads * p.head_dim, p.hidden)), table,
                             {.heads = p.heads, .head_dim = p.head_dim});
    const ValueId k = b.rope(b.linear(h, matrix(prefix + ".k", p.kv_heads * p.head_dim, p.hidden)), table,
                             {.heads = p.kv_heads, .head_dim = p.head_dim});
    b.kv_append(k, b.linear(h, matrix(prefix + ".v", p.kv_heads * p.head_dim, p.hidden)), kv);
    const ValueId a = b.attention(q, {.layer = kv, .heads = p.heads, .scale = 0.4f, .window = p.window});
    x = b.add(x, b.name(prefix + ".attn", b.linear(a, matrix(prefix + ".o", p.hidden, p.heads * p.head_dim))));
    const ValueId m = norm(prefix + ".mlp_norm", x);
    const ValueId gated = b.glu(b.linear(m, matrix(prefix + ".gate", p.ff, p.hidden)),
                                b.linear(m, matrix(prefix + ".up", p.ff, p.hidden)), graph::Activation::kSilu);
    x = b.name(prefix, b.add(x, b.linear(gated, matrix(prefix + ".down", p.hidden, p.ff))));
  }
  b.set_logits(b.linear(norm("final", b.gather_logit_rows(x)), matrix("head", p.vocab, p.hidden)));
  return g;
}

}  // namespace tribar::runtime
