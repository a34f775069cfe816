// Plan: a captured forward pass. A flat array of kernel calls whose pointers are resolved into one arena; running it
// again for another step changes row counts at most.
//
//   Plan plan(context, {.max_tokens = 64, .max_logit_rows = 1}, arena);   // arena: at least
//   plan_memory(...).planned_bytes plan.set_shape({tokens, rows, sequences});
//   team->run([&](Shard s) { plan.run(s, team); });
//
// A barrier stands before a step only if it touches memory that a step since the last barrier wrote, or writes what
// one read: the three projections of an attention layer share one. set_shape and run allocate nothing and take no lock.
// Threads: set_shape by one caller between runs; run by every member of the team.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_team.h"
#include "graph/memory_plan.h"
#include "runtime/lower.h"
#include "runtime/op_profile.h"

namespace tribar::runtime {

class Plan {
 public:
  Plan(const LowerContext& context, const graph::MemoryPlanParams& capacity, std::byte* arena);
  Plan(const Plan&) = delete;  // patches point into steps_
  Plan& operator=(const Plan&) = delete;

  struct StepShape {
    int64_t tokens = 0;
    int64_t logit_rows = 0;
    std::span<const kernel::SequenceView> sequences;
  };
  void set_shape(const StepShape& shape);
  void run(Shard shard, ThreadTeam* team) const;
  // The same with a clock.
  void run_timed(Shard shard, ThreadTeam* team, StepTimer* timer) const;

  TensorView logits() const { return logits_; }
  size_t steps() const { return steps_.size(); }
  size_t barriers() const;  // between steps, of one run

 private:
  struct Step {
    KernelCall call;
    graph::RowSymbol rows = graph::RowSymbol::kTokens;  // of its output
    bool barrier_before = false;
  };
  void add_step(const LowerContext& context, const graph::Node& node, std::span<const TensorView> views);
  void collect_patches(const LowerContext& context);
  void place_barriers(const LowerContext& context, std::span<const TensorView> views, const std::byte* arena);

  std::vector<Step> steps_;
  // What depends on the step's shape: row counts of views, and the list of sequences.
  std::vector<int64_t*> token_rows_;
  std::vector<int64_t*> logit_row_counts_;
  std::vector<std::span<const kernel::SequenceView>*> sequences_;
  StepShape shape_{-1, -1, {}};
  TensorView logits_;
};

}  // namespace tribar::runtime
