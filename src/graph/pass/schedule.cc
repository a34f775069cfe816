#include <algorithm>
#include <numeric>

#include "graph/pass/passes.h"
#include "graph/rewrite.h"

namespace tribar::graph {

void schedule_by_depth(Graph* graph, const PipelineOptions&) {
  std::vector<int> depth_of_value(graph->values.size(), 0);  // number of steps before it can be read
  std::vector<int> written(graph->kv_layers.size(), 0);
  std::vector<int> depth(graph->nodes.size());
  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    const Node& node = graph->nodes[i];
    for (const ValueId id : node.inputs) {
      if (id != kNoValue) depth[i] = std::max(depth[i], depth_of_value[static_cast<size_t>(id)]);
    }
    if (const auto use = resource_access(node)) {
      int& layer = written[static_cast<size_t>(use->layer)];
      if (use->access == Access::kRead) depth[i] = std::max(depth[i], layer);
      if (use->access == Access::kWrite) layer = depth[i] + 1;
    }
    for (const ValueId id : node.outputs) depth_of_value[static_cast<size_t>(id)] = depth[i] + 1;
  }

  std::vector<size_t> order(graph->nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return depth[a] != depth[b] ? depth[a] < depth[b] : a < b; });
  std::vector<Node> nodes;
  nodes.reserve(order.size());
  for (const size_t i : order) nodes.push_back(std::move(graph->nodes[i]));
  replace_nodes(graph, std::move(nodes));
}

}  // namespace tribar::graph
