// tribar run: one prompt, one answer, streamed to stdout; where the time went to stderr.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "app/commands.h"
#include "app/generation.h"
#include "app/interrupt.h"
#include "app/json_writer.h"
#include "app/model_options.h"
#include "app/prompt.h"
#include "app/sampling_options.h"
#include "app/terminal.h"
#include "app/text_input.h"
#include "engine/engine_parts.h"

namespace tribar::app {
namespace {

struct RunOptions {
  ModelOptions model;
  SamplingOptions sampling;
  std::optional<std::string> prompt;
  std::string file;
  std::string system;
  bool raw = false;
  bool parse_special = false;
  bool json = false;
  bool quiet = false;
};

// From -p, -f, or what is piped in.
Result<std::string> prompt_text(const RunOptions& options) {
  if (options.prompt) return *options.prompt;
  if (options.file.empty() && is_terminal(stdin)) {
    return invalid_argument("no prompt: use -p TEXT, -f FILE, or pipe text in");
  }
  TRIBAR_ASSIGN_OR_RETURN(std::string text, read_text(options.file.empty() ? "-" : options.file));
  // The newline that an editor or echo ends a text with is not part of the question.
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

Result<std::vector<int32_t>> prompt_ids(const engine::LoadedModel& model, const RunOptions& options,
                                        const std::string& prompt) {
  if (options.raw || model.chat_template_source.empty()) {
    if (!options.system.empty()) {
      return invalid_argument(options.raw ? "--system needs the chat template, which --raw turns off"
                                          : "--system needs a chat template, and this model has none");
    }
    return encode_text(model, prompt, options.parse_special ? SpecialText::kParse : SpecialText::kPlain);
  }
  Messages messages;
  if (!options.system.empty()) messages.push_back({"system", options.system});
  messages.push_back({"user", prompt});
  return encode_messages(model, messages);
}

Status check_room(const engine::LoadedModel& model, size_t prompt_tokens) {
  if (static_cast<int64_t>(prompt_tokens) < model.context_tokens) return {};
  return invalid_argument("the prompt has " + std::to_string(prompt_tokens) + " tokens but the context holds " +
                          std::to_string(model.context_tokens) + "; --ctx N makes it larger (the model was made for " +
                          std::to_string(model.info.context_length) + ")");
}

std::string json_report(const Generation& g, uint64_t seed, const PhaseClock& clock) {
  JsonWriter json;
  json.begin_object().key("text").string(g.text).key("finish_reason").string(finish_name(g.finish));
  json.key("prompt_tokens").integer(g.prompt_tokens).key("completion_tokens").integer(g.output_tokens);
  json.key("seed").unsigned_integer(seed);
  write_phases(clock, &json);
  json.end_object();
  return json.text();
}

Status run(const RunOptions& options) {
  PhaseClock clock(PhaseClock::Start::kProcess);
  InterruptScope interrupt;
  TRIBAR_ASSIGN_OR_RETURN(const std::string prompt, prompt_text(options));
  TRIBAR_ASSIGN_OR_RETURN(engine::SamplingParams sampling, sampling_params(options.sampling));
  const uint64_t seed = sampling.seed;
  engine::LoadOptions load = load_options(options.model);
  load.max_step_tokens = kPrefillChunk;
  load.max_logit_rows = 1;
  TRIBAR_ASSIGN_OR_RETURN(const std::unique_ptr<engine::LoadedModel> model, open_model(options.model.name, load));

  clock.enter(Phase::kTokenise);
  TRIBAR_ASSIGN_OR_RETURN(std::vector<int32_t> ids, prompt_ids(*model, options, prompt));
  clock.add_tokens(Phase::kTokenise, static_cast<int64_t>(ids.size()));
  TRIBAR_RETURN_IF_ERROR(check_room(*model, ids.size()));

  engine::Engine engine(engine::engine_parts(*model), {.token_budget = kPrefillChunk, .max_sequences = 1});
  GenerationParams params;
  params.request = {.prompt_ids = std::move(ids),
                    .sampling = std::move(sampling),
                    .max_tokens = options.sampling.max_tokens,
                    .end_tokens = model->tokenizer->end_tokens()};
  params.stops = options.sampling.stops;
  if (!options.json) {
    params.print = [](std::string_view piece) {
      std::fwrite(piece.data(), 1, piece.size(), stdout);
      std::fflush(stdout);
    };
  }
  TRIBAR_ASSIGN_OR_RETURN(const Generation g, generate(&engine, *model->tokenizer, std::move(params), &clock));
  if (options.json) {
    std::printf("%s\n", json_report(g, seed, clock).c_str());
  } else {
    std::fputc('\n', stdout);
    std::fflush(stdout);
    if (!options.quiet) {
      std::fputc('\n', stderr);
      print_phases(stderr, clock);
      std::fprintf(stderr, "finish: %s, seed: %llu\n", std::string(finish_name(g.finish)).c_str(),
                   static_cast<unsigned long long>(seed));
    }
  }
  return g.finish == Finish::kInterrupted ? interrupted_status() : Status{};
}

}  // namespace

Command add_run(CLI::App* root) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* parser = add_parser(root, "run", "Answer one prompt",
                                "  tribar run model.gguf -p 'Why is the sky blue?'\n"
                                "  tribar run model.gguf -p 'Tell a story' --seed 7 --temperature 1 -n 200\n"
                                "  tribar run model.gguf --raw -p 'Once upon a time'\n"
                                "  cat question.txt | tribar run model.gguf --json\n");
  add_model_options(parser, &options->model);
  CLI::Option* prompt = parser->add_option("-p,--prompt", options->prompt, "The prompt")->type_name("TEXT");
  parser->add_option("-f,--file", options->file, "Read the prompt from a file ('-': standard input)")
      ->type_name("FILE")
      ->excludes(prompt);
  parser->add_option("--system", options->system, "A system message")->type_name("TEXT");
  parser->add_flag("--raw", options->raw, "Continue the text as it is, without the model's chat template");
  parser->add_flag("--parse-special", options->parse_special,
                   "With --raw: text that spells a control token becomes that token");
  parser->add_flag("--json", options->json, "Write one JSON object instead of streaming");
  parser->add_flag("-q,--quiet", options->quiet, "Do not report times");
  add_sampling_options(parser, &options->sampling);
  return {parser, [options] { return run(*options); }};
}

}  // namespace tribar::app
