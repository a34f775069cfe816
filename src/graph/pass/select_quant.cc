#include <utility>

#include "graph/pass/passes.h"
#include "graph/rewrite.h"

namespace tribar::graph {

void select_activation_quantization(Graph* graph, const PipelineOptions& options) {
  if (!options.quantize_activations) return;
  std::vector<Node> nodes;
  nodes.reserve(graph->nodes.size() * 2);
  for (Node& node : graph->nodes) {
    if (node.op == OpKind::kLinear && graph->value(node.inputs[0]).dtype == DType::kF32) {
      const auto weight = static_cast<size_t>(graph->value(node.inputs[1]).weight);
      if (options.quantize_activations(graph->weights[weight])) {
        // One quantize a linear layer; layers that read the same input share it after the next cse.
        const ValueId x = node.inputs[0];
        const ValueId quantized = add_activation(graph, DType::kQ8Act, graph->value(x).shape);
        nodes.push_back({OpKind::kQuantize, {x}, {quantized}, QuantizeAttrs{}});
        node.inputs[0] = quantized;
      }
    }
    nodes.push_back(std::move(node));
  }
  replace_nodes(graph, std::move(nodes));
}

}  // namespace tribar::graph
