// Executor: runs the graph of a loaded model on a step's input.
//
//   TRIBAR_ASSIGN_OR_RETURN(auto executor, Executor::create(std::move(graph), weights, options));
//   TRIBAR_ASSIGN_OR_RETURN(Logits logits, executor->run(step));
//   logits.row(0)[token]
//
// kPlanned replays a captured plan (flat array of kernel calls with resolved arena offsets); kEager walks the nodes,
// allocating each output: the baseline. Both give equal bits. Steady state of kPlanned allocates nothing.
// Limits: ids.size() <= max_tokens, logit_rows.size() <= max_logit_rows; ids inside the vocabulary. Violations are
// kInvalidArgument, nothing is written. Logits that are not finite (a file with NaN weights) are kDataLoss.
// Threads: one caller at a time; uses the team given at creation.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/cpu_features.h"
#include "base/status.h"
#include "base/thread_team.h"
#include "graph/graph.h"
#include "kernel/table.h"
#include "runtime/kv/kv_cache.h"
#include "runtime/op_profile.h"
#include "runtime/step_input.h"
#include "runtime/weight_store.h"
#include "tensor/view.h"

namespace tribar::runtime {

enum class ExecutionMode : uint8_t { kPlanned, kEager };

struct ExecutorOptions {
  Isa isa = Isa::kReference;
  ExecutionMode mode = ExecutionMode::kPlanned;
  int64_t max_tokens = 512;  // of one step
  int64_t max_logit_rows = 512;
};

// Borrowed from the executor until the next run: [logit_rows, vocab] F32.
struct Logits {
  TensorView view;
  std::span<const float> row(int64_t r) const { return {view.f32(r), static_cast<size_t>(view.cols)}; }
};

struct MemoryReport {
  int64_t planned_bytes = 0;      // the arena
  int64_t lower_bound_bytes = 0;  // most bytes live at once
  int64_t no_reuse_bytes = 0;     // sum of all activations
};

class Executor {
 public:
  virtual ~Executor() = default;
  // `graph` is optimised already; weights, cache and team outlive the executor.
  static Result<std::unique_ptr<Executor>> create(graph::Graph graph, const WeightStore* weights, KvCache* cache,
                                                  ThreadTeam* team, const ExecutorOptions& options);

  virtual Result<Logits> run(const StepInput& input) = 0;

  // Called with every named value of a step (kEager only), for layer-by-layer comparison. Null turns it off.
  using Observer = std::function<void(std::string_view name, const TensorView& value)>;
  virtual void set_observer(Observer observer) = 0;
  virtual MemoryReport memory() const = 0;

  // Times every operator of the runs from now on (kPlanned only; kEager reports none). Turning it on begins anew. The
  // results of a run stay the same bits.
  virtual void set_profiling(bool) {}
  virtual OpProfile profile() const { return {}; }
};

}  // namespace tribar::runtime
