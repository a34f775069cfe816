// RMS norms of the residual stream.
//
//   TRIBAR_ASSIGN_OR_RETURN(ValueId h, rms_norm(context, x, {Role::kMlpNorm, layer}));
#pragma once

#include "model/block/context.h"

namespace tribar::model {

Result<graph::ValueId> rms_norm(BlockContext& context, graph::ValueId x, WeightKey weight);
// The norm of queries or keys, `heads` of them in a row, as ModelConfig::qk_norm says; x itself for kNone.
Result<graph::ValueId> qk_norm(BlockContext& context, graph::ValueId x, WeightKey weight, int64_t heads);

}  // namespace tribar::model
