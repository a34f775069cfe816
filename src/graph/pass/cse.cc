#include <functional>
#include <numeric>
#include <unordered_map>

#include "graph/pass/passes.h"
#include "graph/rewrite.h"

namespace tribar::graph {
namespace {

size_t hash_of(const Node& node) {
  size_t h = static_cast<size_t>(node.op);
  for (const ValueId id : node.inputs) h = h * 1000003 + static_cast<size_t>(id + 1);
  return h;
}

bool same_computation(const Node& a, const Node& b) {
  return a.op == b.op && a.inputs == b.inputs && a.attrs == b.attrs && a.outputs.size() == b.outputs.size();
}

}  // namespace

void eliminate_common_subexpressions(Graph* graph, const PipelineOptions&) {
  std::vector<ValueId> replacement(graph->values.size());
  std::iota(replacement.begin(), replacement.end(), 0);
  std::vector<bool> keep(graph->nodes.size(), true);
  std::unordered_multimap<size_t, size_t> seen;

  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    Node& node = graph->nodes[i];
    if (resource_access(node)) continue;  // what it reads changes between nodes, so it is never "the same"
    for (ValueId& id : node.inputs) {
      if (id != kNoValue) id = replacement[static_cast<size_t>(id)];
    }
    const size_t hash = hash_of(node);
    const auto [first, last] = seen.equal_range(hash);
    for (auto it = first; it != last && keep[i]; ++it) {
      const Node& earlier = graph->nodes[it->second];
      if (!same_computation(earlier, node)) continue;
      keep[i] = false;
      for (size_t o = 0; o < node.outputs.size(); ++o) {
        replacement[static_cast<size_t>(node.outputs[o])] = earlier.outputs[o];
      }
    }
    if (keep[i]) seen.emplace(hash, i);
  }
  replace_uses(graph, replacement);
  keep_nodes(graph, keep);
}

}  // namespace tribar::graph
