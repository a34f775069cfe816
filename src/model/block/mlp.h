// The gated MLP: down(activation(gate(x)) * up(x)), with or without biases.
//
//   TRIBAR_ASSIGN_OR_RETURN(ValueId y, gated_mlp(context, x, layer));
//
// Gate and up are separate linear nodes also where the file fuses them into one tensor (gate rows first).
#pragma once

#include "model/block/context.h"

namespace tribar::model {

Result<graph::ValueId> gated_mlp(BlockContext& context, graph::ValueId x, int64_t layer);

}  // namespace tribar::model
