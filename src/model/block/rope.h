// Rotary position embeddings: frequencies of every scaling kind, and the graph's rope tables.
//
//   graph::RopeTableAttrs attrs = rope_table_attrs(config.rope);
//   TRIBAR_ASSIGN_OR_RETURN(RopeTables tables, build_rope_tables(context));
//
// f_i = theta^(-2i / rot_dim), then by kind
//   linear    f / factor
//   dynamic   theta grows with the sequence's length beyond original_length (NTK-aware; the kernel does it)
//   yarn      blend of f and f / factor by wavelength, cos and sin times 0.1 ln(factor) + 1     (arXiv 2309.00071)
//   llama3    f / factor for long waves, f for short ones, a smooth blend between               (Llama 3.1)
//   longrope  f / list of divisors, another list beyond original_length                         (arXiv 2402.13753)
// as transformers computes them (modeling_rope_utils.py); here in double, then rounded to float.
// Threads: pure functions.
#pragma once

#include "base/status.h"
#include "graph/attrs.h"
#include "model/block/context.h"
#include "model/config.h"

namespace tribar::model {

// 0.1 * mscale * ln(factor) + 1, at least 1: what yarn multiplies cos and sin with.
double yarn_attention_factor(double factor, double mscale = 1.0);
// sqrt(1 + ln(factor) / ln(original_length)), at least 1.
double longrope_attention_factor(double factor, int64_t original_length);

graph::RopeTableAttrs rope_table_attrs(const RopeConfig& config);

// The tables that the layers need: `global` for most, `local` for layers with local_rope.
struct RopeTables {
  graph::ValueId global = graph::kNoValue;
  graph::ValueId local = graph::kNoValue;
};
Result<RopeTables> build_rope_tables(BlockContext& context);

}  // namespace tribar::model
