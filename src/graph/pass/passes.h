// The passes that graph/pipeline.cc lists, one file each. A pass rewrites the graph in place and leaves it verifiable.
//
// A new pass is a file here, its line below, its row in pipeline.cc and its test.
// Threads: one writer.
#pragma once

#include "graph/graph.h"
#include "graph/pipeline.h"

namespace tribar::graph {

// Nodes that compute the same value (same operator, inputs and attributes) become one. Same bits.
void eliminate_common_subexpressions(Graph* graph, const PipelineOptions& options);
// Nodes whose values nobody reads go. Same bits.
void eliminate_dead_code(Graph* graph, const PipelineOptions& options);
// Linear layers that PipelineOptions::quantize_activations names read a Q8Act copy of their input. Changes rounding.
void select_activation_quantization(Graph* graph, const PipelineOptions& options);
// Orders the nodes by the length of the longest path to them, so that nodes which do not depend on each other stand
// together and need no barrier between them (the executor places barriers by dependence). Same bits.
void schedule_by_depth(Graph* graph, const PipelineOptions& options);

}  // namespace tribar::graph
