// generate: one answer, streamed, with its time accounted for by phase. What `run` and `chat` share.
//
//   TRIBAR_ASSIGN_OR_RETURN(Generation g, generate(&engine, tokenizer, params, &clock));
//
// While a long prompt is read a progress bar shows. Ctrl-C ends the answer, not the process: what was generated so far
// is returned with Finish::kInterrupted.
// Errors: those of Engine::submit and Engine::step, and a sequence that failed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/phase_clock.h"
#include "base/status.h"
#include "engine/engine.h"
#include "text/tokenizer.h"

namespace tribar::app {

// Small enough that progress shows and Ctrl-C is heard while a long prompt is read, large enough for full speed.
inline constexpr int64_t kPrefillChunk = 256;

enum class Finish : uint8_t { kStop, kLength, kInterrupted };
std::string_view finish_name(Finish finish);  // "stop", "length", "interrupted"

struct GenerationParams {
  engine::Request request;
  std::vector<std::string> stops;
  std::function<void(std::string_view text)> print;  // called with each piece; may be null
};

struct Generation {
  std::string text;
  Finish finish = Finish::kStop;
  int64_t prompt_tokens = 0;
  int64_t reused_tokens = 0;  // of the prompt, from the turn before
  int64_t output_tokens = 0;  // the end token included
};

Result<Generation> generate(engine::Engine* engine, const text::Tokenizer& tokenizer, GenerationParams params,
                            PhaseClock* clock);

}  // namespace tribar::app
