#include "engine/scheduler.h"

#include <algorithm>
#include <span>

namespace tribar::engine {

Scheduler::Scheduler(runtime::KvAllocator* allocator, SchedulerOptions options)
    : allocator_(allocator), options_(options) {
  TRIBAR_CHECK(options_.token_budget > 0 && options_.max_sequences > 0);
}

void Scheduler::remove(Sequence* sequence) {
  std::erase(running_, sequence);
  std::erase(waiting_, sequence);
  allocator_->release(&sequence->table);
}

const StepPlan& Scheduler::schedule() {
  plan_.slices.clear();
  plan_.preempted.clear();
  plan_.out_of_room.clear();
  plan_.tokens = 0;
  plan_.reused_tokens = 0;
  schedule_running();
  admit_waiting();
  return plan_;
}

void Scheduler::advance(Sequence* sequence, const StepSlice& slice) {
  sequence->computed += slice.token_count;
  if (sequence->rope_base > options_.reuse_length) return;
  const int64_t reusable = std::min(sequence->computed, options_.reuse_length);
  allocator_->commit(sequence->table, std::span(sequence->ids).first(static_cast<size_t>(reusable)));
}

void Scheduler::schedule_running() {
  // Preemption shortens running_ from its end, never at or before `i`.
  for (size_t i = 0; i < running_.size(); ++i) {
    Sequence* sequence = running_[i];
    recompute_if_rope_changed(sequence);
    const int64_t tokens = grant(*sequence);
    if (tokens == 0) return;
    switch (grow_or_preempt(sequence, tokens)) {
      case Growth::kGrown: append_slice(*sequence, tokens); break;
      case Growth::kPreempted: return;
      case Growth::kOutOfRoom: plan_.out_of_room.push_back(sequence->id); return;
    }
  }
}

void Scheduler::admit_waiting() {
  // A sequence that just lost its blocks would only take them from those it made room for.
  if (!plan_.preempted.empty() || !plan_.out_of_room.empty()) return;
  while (!waiting_.empty() && running() < options_.max_sequences) {
    Sequence* sequence = waiting_.front();
    match_prefix(sequence);
    const int64_t tokens = grant(*sequence);
    if (tokens == 0 || !grow(sequence, tokens)) {
      give_back(sequence);
      if (tokens > 0 && running_.empty()) plan_.out_of_room.push_back(sequence->id);
      return;
    }
    waiting_.pop_front();
    running_.push_back(sequence);
    plan_.reused_tokens += sequence->computed;
    append_slice(*sequence, tokens);
  }
}

// A longrope model turns every position by other frequencies once the sequence is longer than its original length, so
// what is in the cache no longer fits this sequence (but still fits others, which is why the blocks are not
// overwritten).
void Scheduler::recompute_if_rope_changed(Sequence* sequence) {
  const int64_t limit = options_.recompute_length;
  if (limit == 0 || sequence->rope_base > limit || sequence->target() <= limit) return;
  give_back(sequence);
  sequence->rope_base = sequence->target();
}

// How many tokens the step may still compute of this sequence. A slice has one rope length, so it ends where that
// changes: after the base, and where a model's frequencies may depend on the length, after every single token.
int64_t Scheduler::grant(const Sequence& sequence) const {
  int64_t tokens = std::min(sequence.pending(), options_.token_budget - plan_.tokens);
  if (sequence.computed < sequence.rope_base) return std::min(tokens, sequence.rope_base - sequence.computed);
  return sequence.target() > options_.reuse_length ? std::min<int64_t>(tokens, 1) : tokens;
}

// Leaves the last token to be computed: the next one is drawn from its logits.
void Scheduler::match_prefix(Sequence* sequence) {
  if (sequence->target() > options_.reuse_length) return;
  const auto beginning = std::span(sequence->ids).first(static_cast<size_t>(sequence->target() - 1));
  sequence->computed = allocator_->match_prefix(beginning, &sequence->table);
}

Scheduler::Growth Scheduler::grow_or_preempt(Sequence* sequence, int64_t tokens) {
  while (!grow(sequence, tokens)) {
    if (running_.size() == 1) return Growth::kOutOfRoom;
    const bool self = running_.back() == sequence;
    preempt_youngest();
    if (self) return Growth::kPreempted;
  }
  return Growth::kGrown;
}

void Scheduler::preempt_youngest() {
  Sequence* victim = running_.back();
  running_.pop_back();
  give_back(victim);
  waiting_.push_front(victim);
  plan_.preempted.push_back(victim->id);
}

void Scheduler::give_back(Sequence* sequence) {
  allocator_->release(&sequence->table);
  sequence->computed = 0;
}

void Scheduler::append_slice(const Sequence& sequence, int64_t tokens) {
  const int64_t end = sequence.computed + tokens;
  plan_.slices.push_back({.sequence = sequence.id,
                          .start = sequence.computed,
                          .token_count = tokens,
                          .rope_length = std::max(sequence.rope_base, end),
                          .samples = end == sequence.target()});
  plan_.tokens += tokens;
}

}  // namespace tribar::engine
