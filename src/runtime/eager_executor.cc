#include <algorithm>
#include <utility>

#include "base/aligned_buffer.h"
#include "graph/memory_plan.h"
#include "runtime/executors.h"
#include "runtime/logits_check.h"
#include "runtime/lower.h"

namespace tribar::runtime {
namespace {

using graph::Node;
using graph::RowSymbol;
using graph::Value;
using graph::ValueId;
using graph::ValueKind;

// Walks the nodes; each output gets memory of its own, which goes back after its last use.
class EagerExecutor final : public Executor {
 public:
  explicit EagerExecutor(ExecutorParts parts)
      : parts_(std::move(parts)),
        buffers_(parts_.limits),
        last_uses_(parts_.graph.nodes.size()),
        memory_(parts_.graph.values.size()),
        views_(parts_.graph.values.size()) {
    find_last_uses();
  }

  Result<Logits> run(const StepInput& input) override {
    TRIBAR_RETURN_IF_ERROR(buffers_.bind(input));
    const graph::Graph& graph = parts_.graph;
    const kernel::KernelTable& kernels = kernel::kernel_table(parts_.options.isa);
    const LowerContext context{&graph, &kernels, parts_.weights, parts_.cache, &buffers_};
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node& node = graph.nodes[i];
      for (const ValueId id : node.outputs) TRIBAR_RETURN_IF_ERROR(allocate(id));
      const KernelCall call = lower_node(context, node, views_);
      if (node.outputs.empty() || views_[static_cast<size_t>(node.outputs[0])].rows > 0) {
        parts_.team->run([&](Shard shard) { run_call(call, shard); });
      }
      for (const ValueId id : node.outputs) observe(id);
      for (const ValueId id : last_uses_[i]) memory_[static_cast<size_t>(id)] = {};
    }
    return checked_logits();
  }

  void set_observer(Observer observer) override { observer_ = std::move(observer); }

  MemoryReport memory() const override {
    const graph::MemoryPlan plan =
        graph::plan_memory(parts_.graph, {parts_.limits.max_tokens, parts_.limits.max_logit_rows});
    return {plan.no_reuse_bytes, plan.lower_bound_bytes, plan.no_reuse_bytes};
  }

 private:
  void find_last_uses() {
    const graph::Graph& graph = parts_.graph;
    std::vector<size_t> last(graph.values.size());
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const ValueId id : graph.nodes[i].outputs) last[static_cast<size_t>(id)] = i;
      for (const ValueId id : graph.nodes[i].inputs) {
        if (id != graph::kNoValue) last[static_cast<size_t>(id)] = i;
      }
    }
    for (size_t v = 0; v < graph.values.size(); ++v) {
      const bool made = graph.values[v].kind == ValueKind::kActivation && graph.values[v].producer >= 0;
      if (made && static_cast<ValueId>(v) != graph.logits) last_uses_[last[v]].push_back(static_cast<ValueId>(v));
    }
  }

  Status allocate(ValueId id) {
    const Value& value = parts_.graph.value(id);
    const int64_t rows = value.shape.rows == RowSymbol::kTokens ? buffers_.tokens() : buffers_.logit_row_count();
    TensorView& view = views_[static_cast<size_t>(id)];
    view = activation_view(value, nullptr, rows);
    AlignedBuffer& memory = memory_[static_cast<size_t>(id)];
    memory = {};
    TRIBAR_ASSIGN_OR_RETURN(memory, AlignedBuffer::allocate(static_cast<size_t>(rows * view.stride_bytes)));
    view.data = memory.data();
    return {};
  }

  void observe(ValueId id) const {
    const Value& value = parts_.graph.value(id);
    if (observer_ && !value.name.empty()) observer_(value.name, views_[static_cast<size_t>(id)]);
  }

  Result<Logits> checked_logits() {
    const TensorView logits = views_[static_cast<size_t>(parts_.graph.logits)];
    check_.start();
    parts_.team->run([&](Shard shard) { check_.run(logits, shard); });
    TRIBAR_RETURN_IF_ERROR(check_.status());
    return Logits{logits};
  }

  ExecutorParts parts_;
  StepBuffers buffers_;
  std::vector<std::vector<ValueId>> last_uses_;  // by node: values that nobody reads afterwards
  std::vector<AlignedBuffer> memory_;            // by value, empty when not alive
  std::vector<TensorView> views_;                // by value
  Observer observer_;
  LogitsCheck check_;
};

}  // namespace

Result<std::unique_ptr<Executor>> make_eager_executor(ExecutorParts parts) {
  return std::unique_ptr<Executor>(std::make_unique<EagerExecutor>(std::move(parts)));
}

}  // namespace tribar::runtime
