// The pass pipeline: canonicalize → fuse → select activation quantisation → verify. graph/pipeline.cc lists the passes in
// order and is the table of contents of the compiler.
//
//   PipelineOptions o; o.level = 3; o.quantize_activations = [&](const WeightSpec& w) { return ...; };
//   TRIBAR_ASSIGN_OR_RETURN(PipelineReport r, optimize(&graph, o));
//
// Every pass runs through run_pass: off switch, timer, node count before and after, verifier, dump. The result computes the
// same bits as the input graph whatever passes are on, except where a pass says that it changes rounding.
// Errors: kInternal if a pass left a graph that does not verify (names the pass); kInvalidArgument for an unknown pass name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"

namespace tribar::graph {

struct PipelineOptions {
  int level = 3;                           // 0: as built; 1: CSE, DCE; 3: everything
  std::vector<std::string> disabled;       // pass names
  // Whether the linear layers that read this weight take Q8Act input (kernel::find_linear's choice); null: none do.
  std::function<bool(const WeightSpec&)> quantize_activations;
  std::string dump_after;                  // pass name; the text goes to `dump`
  std::function<void(const std::string& text)> dump;
};

struct PassReport {
  std::string name;
  bool enabled = true;
  double seconds = 0;
  size_t nodes_before = 0;
  size_t nodes_after = 0;
};
struct PipelineReport {
  std::vector<PassReport> passes;
};

Result<PipelineReport> optimize(Graph* graph, const PipelineOptions& options);

// Checks types, shapes, order, single assignment and resource order. Used after every pass.
Status verify(const Graph& graph);
// Text form, one node a line: "%12 = linear(%11, w:layer.0.attn.q[576,576 Q4_1]) : T x 576 f32  # layer.0.attn".
std::string print(const Graph& graph);

}  // namespace tribar::graph
