#include "model/block/mlp.h"

namespace tribar::model {
namespace {

// Row `part` (0 gate, 1 up) of the two halves of a fused tensor.
Result<graph::ValueId> fused_half(BlockContext& m, graph::ValueId x, WeightKey key, int64_t part, WeightKey as) {
  const ModelConfig& c = m.config;
  const RowRange rows{part * c.mlp_size, c.mlp_size, 2 * c.mlp_size};
  TRIBAR_ASSIGN_OR_RETURN(const graph::ValueId weight, m.weights.matrix_part(key, rows, c.hidden_size, as));
  graph::ValueId bias = graph::kNoValue;
  if (c.mlp_bias) {
    TRIBAR_ASSIGN_OR_RETURN(bias, m.weights.bias_part(key, rows, as));
  }
  return m.builder.linear(x, weight, bias);
}

Result<graph::ValueId> projection(BlockContext& m, graph::ValueId x, WeightKey key, int64_t rows, int64_t cols) {
  TRIBAR_ASSIGN_OR_RETURN(const graph::ValueId weight, m.weights.matrix(key, rows, cols));
  graph::ValueId bias = graph::kNoValue;
  if (m.config.mlp_bias) {
    TRIBAR_ASSIGN_OR_RETURN(bias, m.weights.bias(key, rows));
  }
  return m.builder.linear(x, weight, bias);
}

}  // namespace

Result<graph::ValueId> gated_mlp(BlockContext& m, graph::ValueId x, int64_t layer) {
  const ModelConfig& c = m.config;
  const WeightKey gate_key{Role::kGate, layer};
  const WeightKey up_key{Role::kUp, layer};
  const WeightKey fused_key{Role::kGateUp, layer};
  graph::ValueId gate = graph::kNoValue;
  graph::ValueId up = graph::kNoValue;
  if (!m.weights.has(gate_key) && m.weights.has(fused_key)) {
    TRIBAR_ASSIGN_OR_RETURN(gate, fused_half(m, x, fused_key, 0, gate_key));
    TRIBAR_ASSIGN_OR_RETURN(up, fused_half(m, x, fused_key, 1, up_key));
  } else {
    TRIBAR_ASSIGN_OR_RETURN(gate, projection(m, x, gate_key, c.mlp_size, c.hidden_size));
    TRIBAR_ASSIGN_OR_RETURN(up, projection(m, x, up_key, c.mlp_size, c.hidden_size));
  }
  return projection(m, m.builder.glu(gate, up, c.activation), {Role::kDown, layer}, c.hidden_size, c.mlp_size);
}

}  // namespace tribar::model
