#include "model/block/attention.h"

#include "model/block/norm.h"

namespace tribar::model {
namespace {

struct Qkv {
  graph::ValueId q = graph::kNoValue;
  graph::ValueId k = graph::kNoValue;
  graph::ValueId v = graph::kNoValue;
};

// One of the three projections: `key` in its own tensor, or its rows of the fused one.
Result<graph::ValueId> project(BlockContext& m, graph::ValueId x, WeightKey key, RowRange rows) {
  const ModelConfig& c = m.config;
  const WeightKey fused{Role::kQkv, key.layer};
  const bool is_fused = !m.weights.has(key) && m.weights.has(fused);
  const WeightKey source = is_fused ? fused : key;
  const RowRange range = is_fused ? rows : all_rows(rows.count);
  TRIBAR_ASSIGN_OR_RETURN(const graph::ValueId weight, m.weights.matrix_part(source, range, c.hidden_size, key));
  graph::ValueId bias = graph::kNoValue;
  if (c.qkv_bias) {
    TRIBAR_ASSIGN_OR_RETURN(bias, m.weights.bias_part(source, range, key));
  }
  return m.builder.linear(x, weight, bias);
}

Result<Qkv> project_qkv(BlockContext& m, graph::ValueId x, int64_t layer) {
  const int64_t q_rows = m.config.heads * m.config.head_dim;
  const int64_t kv_rows = m.config.kv_heads * m.config.head_dim;
  const int64_t total = q_rows + 2 * kv_rows;
  Qkv out;
  TRIBAR_ASSIGN_OR_RETURN(out.q, project(m, x, {Role::kQ, layer}, {0, q_rows, total}));
  TRIBAR_ASSIGN_OR_RETURN(out.k, project(m, x, {Role::kK, layer}, {q_rows, kv_rows, total}));
  TRIBAR_ASSIGN_OR_RETURN(out.v, project(m, x, {Role::kV, layer}, {q_rows + kv_rows, kv_rows, total}));
  return out;
}

}  // namespace

Result<graph::ValueId> self_attention(BlockContext& m, graph::ValueId x, int64_t layer, const RopeTables& tables) {
  const ModelConfig& c = m.config;
  const LayerConfig& layer_config = c.layers[static_cast<size_t>(layer)];

  TRIBAR_ASSIGN_OR_RETURN(Qkv qkv, project_qkv(m, x, layer));
  TRIBAR_ASSIGN_OR_RETURN(qkv.q, qk_norm(m, qkv.q, {Role::kQNorm, layer}, c.heads));
  TRIBAR_ASSIGN_OR_RETURN(qkv.k, qk_norm(m, qkv.k, {Role::kKNorm, layer}, c.kv_heads));
  if (layer_config.rope) {
    const graph::ValueId table = layer_config.local_rope ? tables.local : tables.global;
    qkv.q = m.builder.rope(qkv.q, table, {c.heads, c.head_dim, c.rope_pairing});
    qkv.k = m.builder.rope(qkv.k, table, {c.kv_heads, c.head_dim, c.rope_pairing});
  }

  const int32_t cache = m.builder.kv_layer({c.kv_heads, c.head_dim, c.head_dim, layer_config.window});
  m.builder.kv_append(qkv.k, qkv.v, cache);
  const graph::ValueId mixed =
      m.builder.attention(qkv.q, {cache, c.heads, c.attention_scale, c.attention_softcap, layer_config.window});

  const WeightKey out{Role::kAttentionOut, layer};
  TRIBAR_ASSIGN_OR_RETURN(const graph::ValueId weight, m.weights.matrix(out, c.hidden_size, c.heads * c.head_dim));
  graph::ValueId bias = graph::kNoValue;
  if (c.attn_out_bias) {
    TRIBAR_ASSIGN_OR_RETURN(bias, m.weights.bias(out, c.hidden_size));
  }
  return m.builder.linear(mixed, weight, bias);
}

}  // namespace tribar::model
