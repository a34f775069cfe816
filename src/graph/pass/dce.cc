#include "graph/pass/passes.h"
#include "graph/rewrite.h"

namespace tribar::graph {

void eliminate_dead_code(Graph* graph, const PipelineOptions&) {
  std::vector<bool> read(graph->values.size());
  if (graph->logits != kNoValue) read[static_cast<size_t>(graph->logits)] = true;
  std::vector<bool> keep(graph->nodes.size());
  for (size_t i = graph->nodes.size(); i-- > 0;) {
    const Node& node = graph->nodes[i];
    const std::optional<ResourceAccess> use = resource_access(node);
    keep[i] = use && use->access == Access::kWrite;  // later steps read the cache
    for (const ValueId id : node.outputs) keep[i] = keep[i] || read[static_cast<size_t>(id)];
    if (!keep[i]) continue;
    for (const ValueId id : node.inputs) {
      if (id != kNoValue) read[static_cast<size_t>(id)] = true;
    }
  }
  keep_nodes(graph, keep);
}

}  // namespace tribar::graph
