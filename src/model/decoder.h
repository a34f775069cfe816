// The forward pass of a decoder: embedding, layers of attention and MLP on a residual stream, final norm, output
// matrix.
//
//   TRIBAR_RETURN_IF_ERROR(build_decoder(context));   // the graph's logits are set
//
// Values are named as traces show them: embed, layer.N.attn, layer.N.mlp (before any norm or multiplier), layer.N,
// final_norm.
#pragma once

#include "model/block/context.h"

namespace tribar::model {

Status build_decoder(BlockContext& context);

}  // namespace tribar::model
