// Causal self-attention with grouped key-value heads: projections, norms, rotation, cache, softmax, output projection.
//
//   TRIBAR_ASSIGN_OR_RETURN(ValueId y, self_attention(context, x, layer, tables));
//
// q, k and v are separate linear nodes also where the file fuses them (rows of q, then k, then v).
#pragma once

#include "model/block/context.h"
#include "model/block/rope.h"

namespace tribar::model {

Result<graph::ValueId> self_attention(BlockContext& context, graph::ValueId x, int64_t layer, const RopeTables& tables);

}  // namespace tribar::model
