#include "runtime/executor.h"

#include <algorithm>
#include <utility>

#include "graph/pipeline.h"
#include "runtime/executors.h"
#include "runtime/lower.h"

namespace tribar::runtime {
namespace {

// Ids must be rows of every table that embeds them.
int64_t vocab_size(const graph::Graph& graph) {
  int64_t size = INT32_MAX;
  for (const graph::Node& node : graph.nodes) {
    if (node.op == graph::OpKind::kEmbed) size = std::min(size, graph.value(node.inputs[1]).shape.constant_rows);
  }
  return size;
}

}  // namespace

Result<std::unique_ptr<Executor>> Executor::create(graph::Graph graph, const WeightStore* weights, KvCache* cache,
                                                   ThreadTeam* team, const ExecutorOptions& options) {
  TRIBAR_CHECK(options.max_tokens > 0 && options.max_logit_rows >= 0);
  TRIBAR_RETURN_IF_ERROR(graph::verify(graph));
  fold_rope_factors(&graph, *weights);
  TRIBAR_RETURN_IF_ERROR(check_lowering({&graph, &kernel::kernel_table(options.isa), weights, cache, nullptr}));

  ExecutorParts parts;
  parts.limits = {options.max_tokens, options.max_logit_rows, vocab_size(graph)};
  if (cache != nullptr && !graph.kv_layers.empty()) {
    parts.limits.block_tokens = cache->options().block_tokens;
    parts.limits.blocks = cache->options().blocks;
  }
  parts.graph = std::move(graph);
  parts.weights = weights;
  parts.cache = cache;
  parts.team = team;
  parts.options = options;
  return options.mode == ExecutionMode::kPlanned ? make_planned_executor(std::move(parts))
                                                 : make_eager_executor(std::move(parts));
}

}  // namespace tribar::runtime
