#include "runtime/activation_groups.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "runtime/executor.h"
#include "tensor/act_q8.h"

namespace tribar::runtime {
namespace {

using graph::Node;
using graph::OpKind;
using graph::QuantizeAttrs;
using graph::ValueId;

// Rows that the output layer's input is measured on: its weight is the largest, and the others' results are not needed.
constexpr int64_t kLogitRows = 8;

// A quantize node that may have groups of 128.
struct Candidate {
  size_t node = 0;
  ActivationGroup group;
};

bool reads(const Node& node, ValueId value) { return node.op == OpKind::kLinear && node.inputs[0] == value; }

std::vector<Candidate> find_candidates(const graph::Graph& graph, const WeightStore& weights) {
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.op != OpKind::kQuantize) continue;
    Candidate candidate{i, {.layer = {}, .cols = graph.value(node.inputs[0]).shape.cols}};
    bool has_wide_kernel = false;
    for (const Node& reader : graph.nodes) {
      if (!reads(reader, node.outputs[0])) continue;
      const int32_t weight = graph.value(reader.inputs[1]).weight;
      has_wide_kernel |= weights.matrix(weight).kernel->run_wide != nullptr;
      std::string& layer = candidate.group.layer;
      layer += (layer.empty() ? "" : " + ") + graph.weights[static_cast<size_t>(weight)].name;
    }
    if (has_wide_kernel) candidates.push_back(std::move(candidate));
  }
  return candidates;
}

std::vector<ActivationGroup> apply(graph::Graph* graph, std::vector<Candidate> candidates) {
  std::vector<ActivationGroup> groups;
  groups.reserve(candidates.size());
  for (Candidate& c : candidates) {
    graph->nodes[c.node].attrs = QuantizeAttrs{c.group.group};
    groups.push_back(std::move(c.group));
  }
  return groups;
}

// A copy of the graph in which the inputs of the candidates, and nothing else, have names: their numbers among the
// values. That is how an executor's observer tells them apart.
graph::Graph name_inputs(const graph::Graph& graph, const std::vector<Candidate>& candidates) {
  graph::Graph named = graph;
  for (graph::Value& value : named.values) value.name.clear();
  for (const Candidate& c : candidates) {
    const ValueId input = named.nodes[c.node].inputs[0];
    named.value(input).name = std::to_string(input);
  }
  return named;
}

void measure(std::string_view name, const TensorView& x, const graph::Graph& graph,
             std::vector<Candidate>* candidates) {
  ValueId value = graph::kNoValue;
  std::from_chars(name.data(), name.data() + name.size(), value);
  for (Candidate& c : *candidates) {
    if (graph.nodes[c.node].inputs[0] != value) continue;
    c.group.error_narrow = quantization_error(x, act_q8::kGroup);
    c.group.error_wide = quantization_error(x, act_q8::kWideGroup);
  }
}

Status run_once(const graph::Graph& graph, const CalibrationRun& run, std::span<const int32_t> ids,
                std::vector<Candidate>* candidates) {
  const auto tokens = static_cast<int64_t>(ids.size());
  const int64_t logit_rows = std::min(tokens, kLogitRows);
  const ExecutorOptions options{run.isa, ExecutionMode::kEager, tokens, logit_rows};
  TRIBAR_ASSIGN_OR_RETURN(const std::unique_ptr<Executor> executor,
                          Executor::create(name_inputs(graph, *candidates), run.weights, run.cache, run.team, options));
  executor->set_observer([&](std::string_view name, const TensorView& x) { measure(name, x, graph, candidates); });
  const int64_t block_tokens = run.cache->options().block_tokens;
  std::vector<int32_t> blocks(static_cast<size_t>((tokens + block_tokens - 1) / block_tokens));
  std::iota(blocks.begin(), blocks.end(), 0);
  const SequenceSlice sequence{0, tokens, blocks, tokens};
  std::vector<int32_t> last(static_cast<size_t>(logit_rows));
  std::iota(last.begin(), last.end(), static_cast<int32_t>(tokens - logit_rows));
  return executor->run({ids, {&sequence, 1}, last}).status();
}

}  // namespace

double quantization_error(const TensorView& x, int64_t group) {
  double sum = 0;
  int64_t rows = 0;
  for (int64_t r = 0; r < x.rows; ++r) {
    const float* row = x.f32(r);
    double error = 0, squares = 0;
    for (int64_t begin = 0; begin < x.cols; begin += group) {
      const int64_t end = std::min(begin + group, x.cols);
      float peak = 0;
      for (int64_t c = begin; c < end; ++c) {
        peak = std::max(peak, std::fabs(row[c]));
        squares += double(row[c]) * row[c];
      }
      const double step = double(peak) / 127;
      error += step * step / 12 * static_cast<double>(end - begin);
    }
    if (squares <= 0) continue;
    sum += error / squares;
    ++rows;
  }
  return rows == 0 ? 0 : sum / static_cast<double>(rows);
}

Result<std::vector<ActivationGroup>> choose_activation_groups(graph::Graph* graph, const CalibrationRun& run,
                                                              std::span<const int32_t> ids) {
  TRIBAR_CHECK(!ids.empty());
  std::vector<Candidate> candidates = find_candidates(*graph, *run.weights);
  if (candidates.empty()) return std::vector<ActivationGroup>{};
  TRIBAR_RETURN_IF_ERROR(run_once(*graph, run, ids, &candidates));
  for (Candidate& c : candidates) {
    // Written so that an error that is not a number chooses groups of 32.
    c.group.group = c.group.error_wide <= kLargestWideError ? act_q8::kWideGroup : act_q8::kGroup;
  }
  return apply(graph, std::move(candidates));
}

std::vector<ActivationGroup> set_activation_groups(graph::Graph* graph, const WeightStore& weights, int64_t group) {
  TRIBAR_CHECK(group == act_q8::kGroup || group == act_q8::kWideGroup);
  std::vector<Candidate> candidates = find_candidates(*graph, weights);
  for (Candidate& c : candidates) c.group.group = group;
  return apply(graph, std::move(candidates));
}

}  // namespace tribar::runtime
