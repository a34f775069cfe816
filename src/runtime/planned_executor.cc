#include <optional>
#include <utility>

#include "base/huge_pages.h"
#include "base/stopwatch.h"
#include "graph/memory_plan.h"
#include "runtime/executors.h"
#include "runtime/logits_check.h"
#include "runtime/plan.h"

namespace tribar::runtime {
namespace {

// One plan for the largest step; smaller steps use the first rows of its buffers.
class PlannedExecutor final : public Executor {
 public:
  explicit PlannedExecutor(ExecutorParts parts) : parts_(std::move(parts)), buffers_(parts_.limits) {}

  Status capture() {
    const graph::MemoryPlanParams capacity{parts_.options.max_tokens, parts_.options.max_logit_rows};
    const graph::MemoryPlan memory = graph::plan_memory(parts_.graph, capacity);
    report_ = {memory.planned_bytes, memory.lower_bound_bytes, memory.no_reuse_bytes};
    Result<HugeBuffer> arena = HugeBuffer::allocate(static_cast<size_t>(memory.planned_bytes));
    if (!arena.ok()) return arena.status().with_context("activations");
    arena_ = std::move(*arena);
    const kernel::KernelTable& kernels = kernel::kernel_table(parts_.options.isa);
    plan_.emplace(LowerContext{&parts_.graph, &kernels, parts_.weights, parts_.cache, &buffers_}, capacity,
                  arena_.data());
    return {};
  }

  Result<Logits> run(const StepInput& input) override {
    TRIBAR_RETURN_IF_ERROR(buffers_.bind(input));
    plan_->set_shape({buffers_.tokens(), buffers_.logit_row_count(), buffers_.sequences()});
    const TensorView logits = plan_->logits();
    check_.start();
    const Stopwatch watch;
    parts_.team->run([&](Shard shard) {
      timer_ ? plan_->run_timed(shard, parts_.team, &*timer_) : plan_->run(shard, parts_.team);
      if (logits.rows == 0) return;
      parts_.team->barrier();
      check_.run(logits, shard);
    });
    if (timer_) timer_->finish_run(buffers_.tokens(), logits.rows, watch.elapsed_us());
    TRIBAR_RETURN_IF_ERROR(check_.status());
    return Logits{logits};
  }

  void set_profiling(bool on) override {
    timer_.reset();
    if (on) timer_.emplace(plan_->steps(), parts_.team->size());
  }

  OpProfile profile() const override {
    if (!timer_) return {};
    std::vector<OpTime> steps;
    for (const graph::Node& node : parts_.graph.nodes) {
      steps.push_back(describe_step(parts_.graph, node, *parts_.weights));
    }
    return timer_->profile(steps);
  }

  void set_observer(Observer) override {}  // values share memory: only the eager executor can show them
  MemoryReport memory() const override { return report_; }

 private:
  ExecutorParts parts_;
  StepBuffers buffers_;
  HugeBuffer arena_;
  std::optional<Plan> plan_;
  LogitsCheck check_;
  MemoryReport report_;
  std::optional<StepTimer> timer_;  // empty: not profiling
};

}  // namespace

Result<std::unique_ptr<Executor>> make_planned_executor(ExecutorParts parts) {
  auto executor = std::make_unique<PlannedExecutor>(std::move(parts));
  TRIBAR_RETURN_IF_ERROR(executor->capture());
  return std::unique_ptr<Executor>(std::move(executor));
}

}  // namespace tribar::runtime
