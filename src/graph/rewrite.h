// Edits that passes share. A pass builds a new node list or a value map and applies it with these; producers stay
// right.
//
// Threads: one writer.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace tribar::graph {

// Puts `nodes` in the place of the graph's nodes.
void replace_nodes(Graph* graph, std::vector<Node> nodes);

// replacement[v] is read wherever v was: a map over all values, identity where nothing changes. A replaced value's name
// passes to its replacement if that has none.
void replace_uses(Graph* graph, const std::vector<ValueId>& replacement);

// Keeps the nodes i with keep[i].
void keep_nodes(Graph* graph, const std::vector<bool>& keep);

ValueId add_activation(Graph* graph, DType dtype, Shape shape);

}  // namespace tribar::graph
