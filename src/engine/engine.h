// Engine: runs requests on a loaded model, many at once, token by token. Token ids in, token ids out.
//
//   Engine engine(engine_parts(*model), EngineOptions{});
//   TRIBAR_ASSIGN_OR_RETURN(SequenceId id, engine.submit(request));
//   while (!engine.idle()) {
//     TRIBAR_ASSIGN_OR_RETURN(const StepReport* report, engine.step());
//     for (const TokenEvent& e : report->events) ...
//   }
//
// Every sequence that is submitted gets exactly one event whose `finish` is not kNone, unless it is cancelled. What a
// sequence generates depends on its request alone: not on chunk size, threads, neighbours, preemption or reuse of
// retained prefixes.
// Errors: submit is kInvalidArgument for a bad request (it names the limit). step fails only when the executor does,
// and then nothing can go on; a sequence whose logits are not finite fails alone (FinishReason::kFailed).
// Threads: one caller.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "engine/request.h"
#include "engine/retained_prefixes.h"
#include "engine/scheduler.h"
#include "engine/sequence.h"
#include "runtime/executor.h"
#include "runtime/kv/kv_allocator.h"
#include "runtime/step_input.h"

namespace tribar::engine {

// What the engine needs of a model; borrowed.
struct EngineParts {
  runtime::Executor* executor = nullptr;
  runtime::KvAllocator* allocator = nullptr;
  int64_t vocab_size = 0;
  int64_t context_tokens = 0;    // most tokens of one sequence
  int64_t trained_context = 0;   // ModelInfo::context_length
  int64_t recompute_length = 0;  // ModelInfo::recompute_length
};

struct EngineOptions {
  int64_t token_budget = 512;      // of one step; at most the executor's max_tokens
  int64_t max_sequences = 64;      // running at once; at most the executor's max_logit_rows
  int64_t retained_sequences = 0;  // ended sequences whose KV is kept for a prompt that begins the same way
};

// One step, valid until the next.
struct StepReport {
  std::vector<TokenEvent> events;
  int64_t prefill_tokens = 0;  // of slices longer than one token, or that start a sequence
  int64_t decode_tokens = 0;
  double schedule_us = 0;  // plan and step input
  double forward_us = 0;
  double sample_us = 0;
};

struct EngineStats {
  int64_t waiting = 0;
  int64_t running = 0;
  int64_t steps = 0;
  int64_t prefill_tokens = 0;
  int64_t decode_tokens = 0;
  int64_t reused_tokens = 0;  // prompt tokens that were found in the cache
  int64_t preemptions = 0;
  runtime::KvUsage kv;
};

class Engine {
 public:
  Engine(EngineParts parts, EngineOptions options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Result<SequenceId> submit(Request request);
  // The sequence gets no further event. kNotFound if it has already finished.
  Status cancel(SequenceId id);
  Result<const StepReport*> step();
  bool idle() const { return sequences_.empty(); }
  // Steps until nothing is left.
  Status drain(const std::function<void(const TokenEvent&)>& sink);
  EngineStats stats() const;

 private:
  Status check(const Request& request) const;
  void build_input(const StepPlan& plan);
  void commit(const StepPlan& plan, const runtime::Logits& logits);
  void sample(Sequence* sequence, std::span<const float> logits);
  void finish(Sequence* sequence, TokenEvent event);
  void remove(Sequence* sequence);

  EngineParts parts_;
  RetainedPrefixes allocator_;
  Scheduler scheduler_;
  std::unordered_map<SequenceId, std::unique_ptr<Sequence>> sequences_;
  SequenceId next_id_ = 1;
  EngineStats totals_;
  StepReport report_;
  // The step's input, kept so that a steady stream of steps allocates nothing.
  std::vector<int32_t> ids_;
  std::vector<runtime::SequenceSlice> slices_;
  std::vector<int32_t> logit_rows_;
};

}  // namespace tribar::engine
