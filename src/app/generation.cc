#include "app/generation.h"

#include <utility>

#include "app/interrupt.h"
#include "app/progress_bar.h"
#include "text/text_stream.h"

namespace tribar::app {
namespace {

// One answer under way.
class Answer {
 public:
  Answer(engine::Engine* engine, const text::Tokenizer& tokenizer, GenerationParams* params, PhaseClock* clock)
      : engine_(engine), stream_(&tokenizer, params->stops), print_(params->print), clock_(clock) {}

  Result<Generation> run(engine::Request request) {
    generation_.prompt_tokens = static_cast<int64_t>(request.prompt_ids.size());
    const int64_t reused_before = engine_->stats().reused_tokens;
    clock_->enter(Phase::kDecode);
    TRIBAR_ASSIGN_OR_RETURN(const engine::SequenceId id, engine_->submit(std::move(request)));
    while (!ended_) {
      if (interrupted()) {
        generation_.finish = Finish::kInterrupted;
        break;
      }
      TRIBAR_RETURN_IF_ERROR(step());
    }
    if (!engine_->idle()) TRIBAR_RETURN_IF_ERROR(engine_->cancel(id));
    clock_->enter(Phase::kDetokenise);
    emit(stream_.finish());
    clock_->stop();
    generation_.reused_tokens = engine_->stats().reused_tokens - reused_before;
    return std::move(generation_);
  }

 private:
  Status step() {
    clock_->enter(Phase::kDecode);
    TRIBAR_ASSIGN_OR_RETURN(const engine::StepReport* report, engine_->step());
    clock_->move(Phase::kDecode, Phase::kSample, report->sample_us);
    clock_->add_tokens(Phase::kPrefill, report->prefill_tokens);
    clock_->add_tokens(Phase::kDecode, report->decode_tokens);
    if (report->prefill_tokens > 0) {
      clock_->move(Phase::kDecode, Phase::kPrefill, report->schedule_us + report->forward_us);
    }
    show_progress(report->prefill_tokens);
    clock_->enter(Phase::kDetokenise);
    for (const engine::TokenEvent& event : report->events) TRIBAR_RETURN_IF_ERROR(take(event));
    return {};
  }

  void show_progress(int64_t prefill_tokens) {
    if (prefill_tokens == 0) return;
    prefilled_ += prefill_tokens;
    progress_.update(static_cast<double>(prefilled_) / static_cast<double>(generation_.prompt_tokens));
  }

  Status take(const engine::TokenEvent& event) {
    progress_.clear();
    if (event.finish == engine::FinishReason::kFailed) return event.status;
    ended_ = event.finish != engine::FinishReason::kNone;
    if (event.token != engine::TokenEvent::kNoToken) {
      ++generation_.output_tokens;
      clock_->add_tokens(Phase::kSample, 1);
      clock_->add_tokens(Phase::kDetokenise, 1);
      emit(stream_.push(event.token));
    }
    if (event.finish == engine::FinishReason::kLength) generation_.finish = Finish::kLength;
    if (stream_.stopped()) {
      generation_.finish = Finish::kStop;
      ended_ = true;
    }
    return {};
  }

  void emit(std::string_view piece) {
    if (piece.empty()) return;
    generation_.text += piece;
    if (print_) print_(piece);
  }

  engine::Engine* engine_;
  text::TextStream stream_;
  std::function<void(std::string_view)> print_;
  PhaseClock* clock_;
  Generation generation_;
  ProgressBar progress_{"reading the prompt"};
  int64_t prefilled_ = 0;
  bool ended_ = false;
};

}  // namespace

std::string_view finish_name(Finish finish) {
  switch (finish) {
    case Finish::kStop: return "stop";
    case Finish::kLength: return "length";
    case Finish::kInterrupted: return "interrupted";
  }
  return "";
}

Result<Generation> generate(engine::Engine* engine, const text::Tokenizer& tokenizer, GenerationParams params,
                            PhaseClock* clock) {
  engine::Request request = std::move(params.request);
  return Answer(engine, tokenizer, &params, clock).run(std::move(request));
}

}  // namespace tribar::app
