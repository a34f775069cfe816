// Shape inference: the types of a node's outputs from its inputs and attributes. The one place that says what an
// operator accepts; the builder calls it when a node is made, the verifier after every pass.
//
//   TRIBAR_ASSIGN_OR_RETURN(std::vector<ValueType> outputs, infer_types(graph, node));
//
// Errors: kInternal, one line naming the operator and what does not fit. The node's input ids must be valid or
// kNoValue. Threads: pure function.
#pragma once

#include <vector>

#include "base/status.h"
#include "graph/graph.h"

namespace tribar::graph {

struct ValueType {
  DType dtype = DType::kF32;
  Shape shape;
  bool operator==(const ValueType&) const = default;
};

Result<std::vector<ValueType>> infer_types(const Graph& graph, const Node& node);

}  // namespace tribar::graph
