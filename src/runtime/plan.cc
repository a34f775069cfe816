#include "runtime/plan.h"

#include <algorithm>

#include "runtime/hazards.h"

namespace tribar::runtime {
namespace {

using graph::Node;
using graph::RowSymbol;
using graph::Value;
using graph::ValueId;
using graph::ValueKind;

std::vector<TensorView> place_views(const graph::Graph& graph, const graph::MemoryPlanParams& capacity,
                                    std::byte* arena) {
  const graph::MemoryPlan memory = graph::plan_memory(graph, capacity);
  std::vector<TensorView> views(graph.values.size());
  for (size_t v = 0; v < views.size(); ++v) {
    if (memory.offset_bytes[v] < 0) continue;
    const Value& value = graph.values[v];
    const int64_t rows = value.shape.rows == RowSymbol::kTokens ? capacity.max_tokens : capacity.max_logit_rows;
    views[v] = activation_view(value, arena + memory.offset_bytes[v], rows);
  }
  return views;
}

bool is_activation(const graph::Graph& graph, ValueId id) {
  return id != graph::kNoValue && graph.value(id).kind == ValueKind::kActivation;
}

}  // namespace

Plan::Plan(const LowerContext& context, const graph::MemoryPlanParams& capacity, std::byte* arena) {
  const graph::Graph& graph = *context.graph;
  const std::vector<TensorView> views = place_views(graph, capacity, arena);
  steps_.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes) add_step(context, node, views);
  collect_patches(context);
  place_barriers(context, views, arena);
  logits_ = views[static_cast<size_t>(graph.logits)];
  set_shape({});
}

void Plan::add_step(const LowerContext& context, const Node& node, std::span<const TensorView> views) {
  const RowSymbol rows = node.outputs.empty() ? RowSymbol::kTokens : context.graph->value(node.outputs[0]).shape.rows;
  steps_.push_back({lower_node(context, node, views), rows, false});
}

void Plan::collect_patches(const LowerContext& context) {
  const graph::Graph& graph = *context.graph;
  for (size_t i = 0; i < steps_.size(); ++i) {
    // for_each_view shows the activations in the order of the node's inputs, then its outputs.
    std::vector<RowSymbol> symbols;
    for (const ValueId id : graph.nodes[i].inputs) {
      if (is_activation(graph, id)) symbols.push_back(graph.value(id).shape.rows);
    }
    for (const ValueId id : graph.nodes[i].outputs) symbols.push_back(graph.value(id).shape.rows);
    size_t next = 0;
    for_each_view(&steps_[i].call, [&](TensorView* view) {
      TRIBAR_CHECK(next < symbols.size());
      (symbols[next++] == RowSymbol::kTokens ? token_rows_ : logit_row_counts_).push_back(&view->rows);
    });
    TRIBAR_CHECK(next == symbols.size());
    if (auto* sequences = sequences_of(&steps_[i].call)) sequences_.push_back(sequences);
  }
}

void Plan::place_barriers(const LowerContext& context, std::span<const TensorView> views, const std::byte* arena) {
  const graph::Graph& graph = *context.graph;
  const auto range_of = [&](ValueId id) {
    const TensorView& view = views[static_cast<size_t>(id)];
    const int64_t begin = static_cast<const std::byte*>(view.data) - arena;
    return MemoryRange{begin, begin + view.rows * view.stride_bytes};
  };
  HazardTracker tracker;
  for (size_t i = 0; i < steps_.size(); ++i) {
    std::vector<MemoryRange> reads, writes;
    for (const ValueId id : graph.nodes[i].inputs) {
      if (is_activation(graph, id)) reads.push_back(range_of(id));
    }
    for (const ValueId id : graph.nodes[i].outputs) writes.push_back(range_of(id));
    if (const auto use = resource_access(graph.nodes[i])) {
      // Cache layer n stands for one unit below zero on the same line.
      const MemoryRange layer{-1 - int64_t{use->layer}, -int64_t{use->layer}};
      (use->access == graph::Access::kRead ? reads : writes).push_back(layer);
    }
    if (tracker.conflicts(reads, writes)) {
      steps_[i].barrier_before = true;
      tracker.clear();
    }
    tracker.add(reads, writes);
  }
}

void Plan::set_shape(const StepShape& shape) {
  if (shape.tokens != shape_.tokens) {
    for (int64_t* rows : token_rows_) *rows = shape.tokens;
  }
  if (shape.logit_rows != shape_.logit_rows) {
    for (int64_t* rows : logit_row_counts_) *rows = shape.logit_rows;
    logits_.rows = shape.logit_rows;
  }
  if (shape.sequences.size() != shape_.sequences.size() || shape.sequences.data() != shape_.sequences.data()) {
    for (std::span<const kernel::SequenceView>* sequences : sequences_) *sequences = shape.sequences;
  }
  shape_ = shape;
}

void Plan::run(Shard shard, ThreadTeam* team) const {
  const bool no_logits = shape_.logit_rows == 0;
  for (const Step& step : steps_) {
    if (step.barrier_before) team->barrier();
    if (no_logits && step.rows == RowSymbol::kLogitRows) continue;
    run_call(step.call, shard);
  }
}

void Plan::run_timed(Shard shard, ThreadTeam* team, StepTimer* timer) const {
  const bool no_logits = shape_.logit_rows == 0;
  StepTimer::Member& times = timer->member(shard.index);
  times.watch.lap_us();
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].barrier_before) {
      team->barrier();
      times.wait_us[i - 1] += times.watch.lap_us();
    }
    if (no_logits && steps_[i].rows == RowSymbol::kLogitRows) continue;
    run_call(steps_[i].call, shard);
    times.busy_us[i] += times.watch.lap_us();
  }
}

size_t Plan::barriers() const {
  return static_cast<size_t>(
      std::count_if(steps_.begin(), steps_.end(), [](const Step& s) { return s.barrier_before; }));
}

}  // namespace tribar::runtime
