// ChatSession: the conversation behind `tribar chat`: messages, settings, and one answer at a time.
//
//   ChatSession session(model.get(), settings);
//   TRIBAR_ASSIGN_OR_RETURN(ChatAnswer a, session.answer("Hello", print));
//   session.command("set", "temperature 0.2")     // what to print
//
// A turn computes only the tokens that are new: the engine keeps the KV of the turn before. A message that fails (the
// template refuses it, it does not fit) is taken back, so the conversation stays usable. An answer that Ctrl-C stopped
// is kept as far as it got.
// Threads: one caller.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/generation.h"
#include "app/phase_clock.h"
#include "app/prompt.h"
#include "app/sampling_options.h"
#include "base/status.h"
#include "engine/engine.h"
#include "engine/loaded_model.h"

namespace tribar::app {

class ChatSession {
 public:
  ChatSession(const engine::LoadedModel* model, SamplingOptions sampling, std::string system);

  Result<Generation> answer(const std::string& message, const std::function<void(std::string_view)>& print);

  // The text that /help shows.
  static std::string help();
  // Executes /NAME ARGUMENT and returns what to tell the user. kNotFound for an unknown command.
  Result<std::string> command(std::string_view name, const std::string& argument);

  const Messages& messages() const { return messages_; }
  const SamplingOptions& sampling() const { return sampling_; }

 private:
  Result<Generation> generate_answer(const std::function<void(std::string_view)>& print);
  Result<std::string> set_system(const std::string& text);
  Result<std::string> set(const std::string& argument);
  std::string settings() const;
  Result<std::string> stats() const;
  Result<std::string> save(const std::string& path) const;
  Result<std::string> clear();

  const engine::LoadedModel* model_;
  engine::Engine engine_;
  SamplingOptions sampling_;
  std::string system_;
  Messages messages_;  // without the system message
  PhaseClock clock_{PhaseClock::Start::kNow};
  Generation last_;
  bool answered_ = false;
};

}  // namespace tribar::app
