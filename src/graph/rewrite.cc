#include "graph/rewrite.h"

#include <utility>

namespace tribar::graph {

void replace_nodes(Graph* graph, std::vector<Node> nodes) {
  graph->nodes = std::move(nodes);
  for (Value& v : graph->values) v.producer = -1;
  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    for (const ValueId id : graph->nodes[i].outputs) graph->value(id).producer = static_cast<NodeId>(i);
  }
}

void replace_uses(Graph* graph, const std::vector<ValueId>& replacement) {
  for (size_t i = 0; i < replacement.size(); ++i) {
    if (replacement[i] == static_cast<ValueId>(i)) continue;
    std::string& name = graph->value(replacement[i]).name;
    if (name.empty()) name = std::move(graph->values[i].name);
    graph->values[i].name.clear();
  }
  for (Node& node : graph->nodes) {
    for (ValueId& id : node.inputs) {
      if (id != kNoValue) id = replacement[static_cast<size_t>(id)];
    }
  }
  if (graph->logits != kNoValue) graph->logits = replacement[static_cast<size_t>(graph->logits)];
}

void keep_nodes(Graph* graph, const std::vector<bool>& keep) {
  std::vector<Node> kept;
  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    if (keep[i]) kept.push_back(std::move(graph->nodes[i]));
  }
  replace_nodes(graph, std::move(kept));
}

ValueId add_activation(Graph* graph, DType dtype, Shape shape) {
  Value v;
  v.dtype = dtype;
  v.shape = shape;
  graph->values.push_back(std::move(v));
  return static_cast<ValueId>(graph->values.size() - 1);
}

}  // namespace tribar::graph
