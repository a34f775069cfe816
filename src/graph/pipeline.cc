#include "graph/pipeline.h"

#include <algorithm>
#include <chrono>

#include "graph/pass/passes.h"

namespace tribar::graph {
namespace {

// The compiler, in order.
const std::vector<Pass>& passes() {
  static const std::vector<Pass> kPasses = {
      {"cse", 1, eliminate_common_subexpressions},
      {"select_quant", 3, select_activation_quantization},
      {"cse", 1, eliminate_common_subexpressions},  // once more: quantize nodes of a shared input
      {"dce", 1, eliminate_dead_code},
      {"schedule", 1, schedule_by_depth},
  };
  return kPasses;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Status check_name(std::string_view name) {
  const std::vector<std::string_view> known = pass_names();
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  std::string list;
  for (const std::string_view k : known) list += (list.empty() ? "" : ", ") + std::string(k);
  return invalid_argument("no pass is called \"" + std::string(name) + "\"; there are: " + list);
}

}  // namespace

std::vector<std::string_view> pass_names() {
  std::vector<std::string_view> names;
  for (const Pass& pass : passes()) {
    if (std::find(names.begin(), names.end(), pass.name) == names.end()) names.push_back(pass.name);
  }
  return names;
}

Result<PassReport> run_pass(const Pass& pass, Graph* graph, const PipelineOptions& options) {
  using Clock = std::chrono::steady_clock;
  PassReport report;
  report.name = pass.name;
  report.enabled = options.level >= pass.level && !contains(options.disabled, pass.name);
  report.nodes_before = graph->nodes.size();
  if (report.enabled) {
    const Clock::time_point start = Clock::now();
    pass.run(graph, options);
    report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    TRIBAR_RETURN_IF_ERROR(verify(*graph).with_context("after pass " + report.name));
  }
  report.nodes_after = graph->nodes.size();
  if (options.dump && options.dump_after == pass.name) options.dump(print(*graph));
  return report;
}

Result<PipelineReport> optimize(Graph* graph, const PipelineOptions& options) {
  for (const std::string& name : options.disabled) TRIBAR_RETURN_IF_ERROR(check_name(name));
  if (!options.dump_after.empty()) TRIBAR_RETURN_IF_ERROR(check_name(options.dump_after));
  TRIBAR_RETURN_IF_ERROR(verify(*graph).with_context("graph as built"));
  PipelineReport report;
  for (const Pass& pass : passes()) {
    TRIBAR_ASSIGN_OR_RETURN(PassReport done, run_pass(pass, graph, options));
    report.passes.push_back(std::move(done));
  }
  return report;
}

}  // namespace tribar::graph
