#include "app/chat_session.h"

#include <boost/json.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "app/json_writer.h"
#include "app/sampling_json.h"
#include "app/suggest.h"
#include "engine/engine_parts.h"

namespace tribar::app {
namespace {

std::string format_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

}  // namespace

ChatSession::ChatSession(const engine::LoadedModel* model, SamplingOptions sampling, std::string system)
    : model_(model),
      engine_(engine::engine_parts(*model),
              {.token_budget = kPrefillChunk, .max_sequences = 1, .retained_sequences = 1}),
      sampling_(std::move(sampling)),
      system_(std::move(system)) {}

Result<Generation> ChatSession::answer(const std::string& message, const std::function<void(std::string_view)>& print) {
  messages_.push_back({"user", message});
  Result<Generation> generation = generate_answer(print);
  if (!generation.ok() || generation->text.empty()) {
    messages_.pop_back();
    return generation;
  }
  messages_.push_back({"assistant", generation->text});
  last_ = *generation;
  answered_ = true;
  return generation;
}

Result<Generation> ChatSession::generate_answer(const std::function<void(std::string_view)>& print) {
  clock_ = PhaseClock(PhaseClock::Start::kNow);
  clock_.enter(Phase::kTokenise);
  Messages all = messages_;
  if (!system_.empty()) all.insert(all.begin(), {"system", system_});
  TRIBAR_ASSIGN_OR_RETURN(std::vector<int32_t> ids, encode_messages(*model_, all));
  clock_.add_tokens(Phase::kTokenise, static_cast<int64_t>(ids.size()));
  if (static_cast<int64_t>(ids.size()) >= model_->context_tokens) {
    return invalid_argument("the conversation has " + std::to_string(ids.size()) + " tokens and no longer fits into " +
                            std::to_string(model_->context_tokens) +
                            "; /clear begins a new one, --ctx N makes room for more");
  }
  TRIBAR_ASSIGN_OR_RETURN(engine::SamplingParams params, sampling_params(sampling_));
  return generate(&engine_, *model_->tokenizer,
                  {.request = {.prompt_ids = std::move(ids),
                               .sampling = std::move(params),
                               .max_tokens = sampling_.max_tokens,
                               .end_tokens = model_->tokenizer->end_tokens()},
                   .stops = sampling_.stops,
                   .print = print},
                  &clock_);
}

std::string ChatSession::help() {
  return "/system [TEXT]       set the system message; without TEXT remove it\n"
         "/set [NAME VALUE]    change a sampling setting; without arguments show them\n"
         "/stats               time and speed of the last answer\n"
         "/save FILE           write the conversation to a file, as JSON\n"
         "/clear               forget the conversation\n"
         "/help                this text\n"
         "/quit                leave (also Ctrl-D)\n"
         "A message of several lines: end lines with \\, or put it between \"\"\" and \"\"\".\n"
         "// at the beginning sends a message that begins with /. Ctrl-C stops an answer.\n";
}

Result<std::string> ChatSession::command(std::string_view name, const std::string& argument) {
  if (name == "help") return help();
  if (name == "system") return set_system(argument);
  if (name == "set") return set(argument);
  if (name == "stats") return stats();
  if (name == "save") return save(argument);
  if (name == "clear") return clear();
  std::string message = "unknown command '/" + std::string(name) + "'";
  const std::vector<std::string> near = closest(name, {"help", "system", "set", "stats", "save", "clear", "quit"}, 1);
  message += near.empty() ? "; /help lists them" : "; did you mean '/" + near.front() + "'?";
  return not_found(message);
}

Result<std::string> ChatSession::set_system(const std::string& text) {
  system_ = text;
  return std::string(text.empty() ? "system message removed\n" : "system message set\n");
}

Result<std::string> ChatSession::set(const std::string& argument) {
  if (argument.empty()) return settings();
  const size_t space = argument.find_first_of(" \t");
  if (space == std::string::npos) return invalid_argument("/set takes a name and a value, for example /set top_k 20");
  std::string name = argument.substr(0, space);
  for (char& c : name) c = c == '-' ? '_' : c;
  const std::string value_text = argument.substr(argument.find_first_not_of(" \t", space));
  boost::json::error_code error;
  const boost::json::value value = boost::json::parse(value_text, error);
  if (error) return invalid_argument("'" + value_text + "' is not a number");

  SamplingOptions changed = sampling_;
  if (name == "max_tokens" || name == "seed") {
    const auto number = value.to_number<int64_t>(error);
    if (error || number < (name == "seed" ? 0 : 1)) return invalid_argument(name + " must be a positive integer");
    if (name == "seed") {
      changed.seed = static_cast<uint64_t>(number);
    } else {
      changed.max_tokens = number;
    }
  } else {
    TRIBAR_RETURN_IF_ERROR(parse_sampling_params({{name, value}}, &changed.params));
    TRIBAR_RETURN_IF_ERROR(validate(changed.params, model_->info.vocab_size));
  }
  sampling_ = std::move(changed);
  return name + " is " + value_text + "\n";
}

std::string ChatSession::settings() const {
  const engine::SamplingParams& p = sampling_.params;
  std::string text = "temperature " + format_number(p.temperature) + "\ntop_k " + std::to_string(p.top_k) + "\ntop_p " +
                     format_number(p.top_p) + "\nmin_p " + format_number(p.min_p) + "\ntypical_p " +
                     format_number(p.typical_p) + "\nrepetition_penalty " + format_number(p.repetition_penalty) +
                     "\npresence_penalty " + format_number(p.presence_penalty) + "\nfrequency_penalty " +
                     format_number(p.frequency_penalty) + "\nmax_tokens " + std::to_string(sampling_.max_tokens) + "\n";
  text += "seed " + (sampling_.seed ? std::to_string(*sampling_.seed) : std::string("random")) + "\n";
  return text;
}

Result<std::string> ChatSession::stats() const {
  if (!answered_) return invalid_argument("there is no answer yet");
  std::string text = phase_table(clock_, Style::for_stream(stderr));
  text += "prompt " + std::to_string(last_.prompt_tokens) + " tokens, " + std::to_string(last_.reused_tokens) +
          " of them known from the turn before; answer " + std::to_string(last_.output_tokens) +
          " tokens, finish: " + std::string(finish_name(last_.finish)) + "\n";
  return text;
}

Result<std::string> ChatSession::save(const std::string& path) const {
  if (path.empty()) return invalid_argument("/save takes the name of a file");
  JsonWriter json;
  json.begin_object().key("messages").begin_array();
  Messages all = messages_;
  if (!system_.empty()) all.insert(all.begin(), {"system", system_});
  for (const Message& m : all) {
    json.begin_object().key("role").string(m.role).key("content").string(m.content).end_object();
  }
  json.end_array().end_object();
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return not_found("cannot write '" + path + "': " + std::strerror(errno));
  const std::string text = json.text() + "\n";
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written) return not_found("cannot write '" + path + "': " + std::strerror(errno));
  return "saved " + std::to_string(all.size()) + " messages to " + path + "\n";
}

Result<std::string> ChatSession::clear() {
  messages_.clear();
  answered_ = false;
  return std::string("conversation cleared\n");
}

}  // namespace tribar::app
