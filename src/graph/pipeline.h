// The pass pipeline: from the graph as the model wrote it to the graph that is executed. graph/pipeline.cc lists the
// passes in order and is the table of contents of the compiler; memory planning (graph/memory_plan.h) follows it.
//
//   PipelineOptions o; o.level = 3; o.quantize_activations = [&](const WeightSpec& w) { return ...; };
//   TRIBAR_ASSIGN_OR_RETURN(PipelineReport r, optimize(&graph, o));
//
// Every pass runs through run_pass: off switch, timer, node count before and after, verifier, dump. The result
// computes the same bits as the input graph whatever passes are on, except where a pass says that it changes rounding.
// Errors: kInternal if a pass left a graph that does not verify (names the pass); kInvalidArgument for an unknown
// pass name.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"

namespace tribar::graph {

struct PipelineOptions {
  int level = 3;                      // 0: as built; 1: what keeps every bit; 3: everything
  std::vector<std::string> disabled;  // pass names
  // Whether linear layers read this weight with Q8Act input (what kernel::find_linear prefers); null: none does.
  std::function<bool(const WeightSpec&)> quantize_activations;
  std::string dump_after;  // pass name; the text goes to `dump`
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

// One rewrite of the graph. `level` is the lowest optimisation level that runs it.
struct Pass {
  std::string_view name;
  int level = 1;
  std::function<void(Graph*, const PipelineOptions&)> run;
};
Result<PassReport> run_pass(const Pass& pass, Graph* graph, const PipelineOptions& options);
// Names of all passes in order of first use, for help texts and errors.
std::vector<std::string_view> pass_names();

// Checks types, shapes, order, single assignment and resource order. Used after every pass.
Status verify(const Graph& graph);
// Text form, one node a line: "%12 = linear(%11, w:layer.0.attn.q[576,576 Q4_1]) : T x 576 f32  # layer.0.attn".
std::string print(const Graph& graph);

}  // namespace tribar::graph
