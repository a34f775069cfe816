#include "engine/engine.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/stopwatch.h"

namespace tribar::engine {

namespace {

// Up to its trained length a model's rope frequencies are the same for every sequence; beyond, dynamic scaling and
// longrope depend on the length, and cached KV would not be what a fresh computation gives.
int64_t reuse_length(const EngineParts& parts) {
  if (parts.recompute_length == 0) return parts.trained_context;
  return std::min(parts.recompute_length, parts.trained_context);
}

}  // namespace

Engine::Engine(EngineParts parts, EngineOptions options)
    : parts_(parts),
      allocator_(parts.allocator, options.retained_sequences),
      scheduler_(&allocator_, {.token_budget = options.token_budget,
                               .max_sequences = std::min(options.max_sequences, options.token_budget),
                               .recompute_length = parts.recompute_length,
                               .reuse_length = reuse_length(parts)}) {}

Engine::~Engine() {
  for (auto& [id, sequence] : sequences_) scheduler_.remove(sequence.get());
}

Result<SequenceId> Engine::submit(Request request) {
  TRIBAR_RETURN_IF_ERROR(check(request));
  const SequenceId id = next_id_++;
  auto sequence = std::make_unique<Sequence>(id, std::move(request));
  scheduler_.add(sequence.get());
  sequences_.emplace(id, std::move(sequence));
  return id;
}

Status Engine::cancel(SequenceId id) {
  const auto it = sequences_.find(id);
  if (it == sequences_.end()) return not_found("no sequence " + std::to_string(id));
  remove(it->second.get());
  return {};
}

Result<const StepReport*> Engine::step() {
  report_ = StepReport{.events = std::exchange(report_.events, {})};
  report_.events.clear();
  Stopwatch watch;
  const StepPlan& plan = scheduler_.schedule();
  for (SequenceId id : plan.out_of_room) {
    finish(sequences_.at(id).get(), {.sequence = id, .finish = FinishReason::kLength});
  }
  build_input(plan);
  report_.schedule_us = watch.lap_us();
  totals_.reused_tokens += plan.reused_tokens;
  totals_.preemptions += static_cast<int64_t>(plan.preempted.size());
  if (plan.slices.empty()) return &report_;

  TRIBAR_ASSIGN_OR_RETURN(const runtime::Logits logits,
                          parts_.executor->run({.ids = ids_, .sequences = slices_, .logit_rows = logit_rows_}));
  report_.forward_us = watch.lap_us();
  commit(plan, logits);
  report_.sample_us = watch.lap_us();
  ++totals_.steps;
  totals_.prefill_tokens += report_.prefill_tokens;
  totals_.decode_tokens += report_.decode_tokens;
  return &report_;
}

Status Engine::drain(const std::function<void(const TokenEvent&)>& sink) {
  while (!idle()) {
    TRIBAR_ASSIGN_OR_RETURN(const StepReport* report, step());
    for (const TokenEvent& event : report->events) sink(event);
  }
  return {};
}

EngineStats Engine::stats() const {
  EngineStats stats = totals_;
  stats.waiting = scheduler_.waiting();
  stats.running = scheduler_.running();
  stats.kv = allocator_.usage();
  return stats;
}

Status Engine::check(const Request& request) const {
  if (request.prompt_ids.empty()) return invalid_argument("the prompt is empty");
  for (int32_t id : request.prompt_ids) {
    if (id < 0 || id >= parts_.vocab_size) {
      return invalid_argument("token " + std::to_string(id) + " is outside the vocabulary of " +
                              std::to_string(parts_.vocab_size) + " tokens");
    }
  }
  const auto tokens = static_cast<int64_t>(request.prompt_ids.size());
  if (tokens >= parts_.context_tokens) {
    return invalid_argument("the prompt has " + std::to_string(tokens) + " tokens but the context holds only " +
                            std::to_string(parts_.context_tokens) + ", and the answer needs room in it");
  }
  if (request.max_tokens < 1) return invalid_argument("max_tokens must be at least 1");
  return validate(request.sampling, parts_.vocab_size);
}

void Engine::build_input(const StepPlan& plan) {
  ids_.clear();
  slices_.clear();
  logit_rows_.clear();
  for (const StepSlice& slice : plan.slices) {
    const Sequence& sequence = *sequences_.at(slice.sequence);
    const auto begin = sequence.ids.begin() + slice.start;
    ids_.insert(ids_.end(), begin, begin + slice.token_count);
    slices_.push_back({.start = slice.start,
                       .token_count = slice.token_count,
                       .blocks = sequence.table.blocks,
                       .rope_length = slice.rope_length});
    if (slice.samples) logit_rows_.push_back(static_cast<int32_t>(ids_.size()) - 1);
    (slice.start < sequence.prompt_tokens ? report_.prefill_tokens : report_.decode_tokens) += slice.token_count;
  }
}

void Engine::commit(const StepPlan& plan, const runtime::Logits& logits) {
  int64_t row = 0;
  for (const StepSlice& slice : plan.slices) {
    Sequence* sequence = sequences_.at(slice.sequence).get();
    scheduler_.advance(sequence, slice);
    if (slice.samples) sample(sequence, logits.row(row++));
  }
}

void Engine::sample(Sequence* sequence, std::span<const float> logits) {
  TokenEvent event{.sequence = sequence->id};
  Result<int32_t> token = sequence->sampler.sample(logits);
  if (!token.ok()) {
    event.finish = FinishReason::kFailed;
    event.status = token.status();
    finish(sequence, std::move(event));
    return;
  }
  event.token = *token;
  sequence->ids.push_back(*token);
  if (std::find(sequence->end_tokens.begin(), sequence->end_tokens.end(), *token) != sequence->end_tokens.end()) {
    event.finish = FinishReason::kEndToken;
  } else if (sequence->output_tokens() >= sequence->max_tokens || sequence->target() >= parts_.context_tokens) {
    event.finish = FinishReason::kLength;
  }
  if (event.finish == FinishReason::kNone) {
    report_.events.push_back(std::move(event));
  } else {
    finish(sequence, std::move(event));
  }
}

void Engine::finish(Sequence* sequence, TokenEvent event) {
  report_.events.push_back(std::move(event));
  remove(sequence);
}

void Engine::remove(Sequence* sequence) {
  scheduler_.remove(sequence);
  sequences_.erase(sequence->id);
}

}  // namespace tribar::engine
