#include "model/block/norm.h"

namespace tribar::model {

Result<graph::ValueId> rms_norm(BlockContext& m, graph::ValueId x, WeightKey key) {
  TRIBAR_ASSIGN_OR_RETURN(const graph::ValueId weight, m.weights.vector(key, m.config.hidden_size));
  return m.builder.rms_norm(x, weight, {m.config.norm_eps, m.config.norm_weight_offset, 1});
}

Result<graph::ValueId> qk_norm(BlockContext& m, graph::ValueId x, WeightKey key, int64_t heads) {
  if (m.config.qk_norm == QkNorm::kNone) return x;
  const int64_t groups = m.config.qk_norm == QkNorm::kPerHead ? heads : 1;
  TRIBAR_ASSIGN_OR_RETURN(const graph::ValueId weight, m.weights.vector(key, heads * m.config.head_dim / groups));
  return m.builder.rms_norm(x, weight, {m.config.norm_eps, m.config.norm_weight_offset, groups});
}

}  // namespace tribar::model
