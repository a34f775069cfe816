// Lowering: from a node of the optimised graph to a kernel with resolved arguments. The one place that knows both.
//
//   LowerContext context{&graph, &kernel_table(isa), weights, cache, &buffers};
//   KernelCall call = lower_node(context, node, views);      // views[v]: where value v lives
//
// An operator added to ops.def gets its case here.
// Errors: none; check_lowering() says beforehand whether every node can be lowered, because load time is the only
// time at which an unsupported operator may fail.
// Threads: pure functions.
#pragma once

#include <span>

#include "base/status.h"
#include "graph/graph.h"
#include "runtime/kernel_call.h"
#include "runtime/kv/kv_cache.h"
#include "runtime/step_buffers.h"
#include "runtime/weight_store.h"
#include "tensor/view.h"

namespace tribar::runtime {

struct LowerContext {
  const graph::Graph* graph = nullptr;
  const kernel::KernelTable* kernels = nullptr;
  const WeightStore* weights = nullptr;
  const KvCache* cache = nullptr;  // null if the graph has no cache layers
  const StepBuffers* buffers = nullptr;
};

// The optional divisors of rope frequencies are weights; folds them into the attributes, so that lowering needs no
// memory.
void fold_rope_factors(graph::Graph* graph, const WeightStore& weights);

// `views` by ValueId; only activations are read. Views of the call hold what `views` holds.
KernelCall lower_node(const LowerContext& context, const graph::Node& node, std::span<const TensorView> views);

Status check_lowering(const LowerContext& context);

// Where activation `value` lives: `rows` rows from `data`.
TensorView activation_view(const graph::Value& value, void* data, int64_t rows);

}  // namespace tribar::runtime
