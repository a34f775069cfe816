// Scheduler: decides what each step computes. Every sequence has tokens it knows (target) and tokens it has computed; a
// step grants tokens under one budget, so prefill, chunked prefill, decode and recomputation are the same arithmetic.
//
//   scheduler.add(sequence);
//   const StepPlan& plan = scheduler.schedule();   // blocks for the plan are already grown
//   ...run it...
//   scheduler.advance(sequence, slice);            // for each slice; then sampled tokens are appended to the sequence
//   scheduler.remove(sequence);                    // finished or cancelled; gives its blocks back
//
// A sequence that starts takes over what the allocator has of its beginning (match_prefix). First come, first served.
// Running sequences go first, in order of admission, then waiting ones while budget, sequence limit and blocks allow.
// At most one running sequence is in the middle of its prompt, and it is the youngest, so a long prompt never holds up
// tokens of streams that already run. Without a free block the youngest running sequence is preempted: its blocks go
// back and it waits, first in line, to be computed again. Deterministic: the plan depends only on the calls made
// before.
// Threads: one caller. Sequences are borrowed from add() to remove().
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "engine/sequence.h"
#include "engine/step_plan.h"
#include "runtime/kv/kv_allocator.h"

namespace tribar::engine {

struct SchedulerOptions {
  int64_t token_budget = 512;    // most tokens of one step, and so the largest prefill chunk
  int64_t max_sequences = 64;    // most sequences running at once
  int64_t recompute_length = 0;  // see model::ModelInfo
  // Rope frequencies do not depend on the length of a sequence up to this length, so that its KV may serve another
  // sequence; 0: never.
  int64_t reuse_length = 0;
};

class Scheduler {
 public:
  Scheduler(runtime::KvAllocator* allocator, SchedulerOptions options);

  void add(Sequence* sequence) { waiting_.push_back(sequence); }
  void remove(Sequence* sequence);
  // Valid until the next call.
  const StepPlan& schedule();
  // After the plan ran: the slice's tokens are in the cache.
  void advance(Sequence* sequence, const StepSlice& slice);

  int64_t waiting() const { return static_cast<int64_t>(waiting_.size()); }
  int64_t running() const { return static_cast<int64_t>(running_.size()); }

 private:
  enum class Growth : uint8_t { kGrown, kPreempted, kOutOfRoom };

  void recompute_if_rope_changed(Sequence* sequence);
  int64_t grant(const Sequence& sequence) const;
  Growth grow_or_preempt(Sequence* sequence, int64_t tokens);
  bool grow(Sequence* sequence, int64_t tokens) {
    return allocator_->grow(&sequence->table, sequence->computed + tokens).ok();
  }
  void match_prefix(Sequence* sequence);
  void give_back(Sequence* sequence);
  void preempt_youngest();
  void schedule_running();
  void admit_waiting();
  void append_slice(const Sequence& sequence, int64_t tokens);

  runtime::KvAllocator* allocator_;
  SchedulerOptions options_;
  std::deque<Sequence*> waiting_;
  std::vector<Sequence*> running_;  // oldest first
  StepPlan plan_;
};

}  // namespace tribar::engine
