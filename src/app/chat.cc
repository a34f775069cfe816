// tribar chat: a conversation in the terminal. Answers stream to stdout; everything else goes to stderr.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "app/chat_input.h"
#include "app/chat_session.h"
#include "app/commands.h"
#include "app/interrupt.h"
#include "app/line_editor.h"
#include "app/model_options.h"
#include "app/terminal.h"

namespace tribar::app {
namespace {

struct ChatOptions {
  ModelOptions model;
  SamplingOptions sampling{.seed = {}, .logit_bias = {}, .stops = {}, .max_tokens = 1024};
  std::string system;
  bool no_history = false;
};

// Reads until a message is complete. kInterrupted gives up what was typed so far.
ReadResult read_message(LineEditor* editor, MessageReader* message) {
  std::string line;
  while (message->wants_more()) {
    const ReadResult result = editor->read(message->is_empty() ? ">>> " : "... ", &line);
    if (result != ReadResult::kLine) return result;
    message->add(line);
  }
  return ReadResult::kLine;
}

class Chat {
 public:
  Chat(ChatSession* session, LineEditor* editor)
      : session_(session), editor_(editor), interactive_(is_terminal(stdin)) {}

  // Until the end of the input or /quit. When input is piped in, the first failure ends the chat.
  Status loop() {
    for (;;) {
      MessageReader message;
      clear_interrupt();
      const ReadResult result = read_message(editor_, &message);
      if (result == ReadResult::kEnd) return end();
      if (result == ReadResult::kInterrupted) {
        if (!interactive_) return interrupted_status();
        std::fputs("\n(/quit or Ctrl-D leaves)\n", stderr);
        continue;
      }
      editor_->remember(message.text());
      const ChatInput input =
          message.is_block() ? ChatInput{.command = "", .argument = message.text()} : parse_chat_line(message.text());
      if (input.kind == ChatInput::Kind::kCommand && (input.command == "quit" || input.command == "exit")) return {};
      const Status status = input.kind == ChatInput::Kind::kCommand ? command(input) : answer(input.argument);
      if (status.ok()) continue;
      if (!interactive_ || status.code() == StatusCode::kInternal) return status;
      const Style style = Style::for_stream(stderr);
      std::fprintf(stderr, "%serror:%s %s\n", style.red(), style.reset(), status.message().c_str());
    }
  }

 private:
  Status end() {
    if (interactive_) std::fputc('\n', stderr);
    return {};
  }

  Status command(const ChatInput& input) {
    TRIBAR_ASSIGN_OR_RETURN(const std::string text, session_->command(input.command, input.argument));
    std::fputs(text.c_str(), stderr);
    return {};
  }

  Status answer(const std::string& message) {
    if (message.find_first_not_of(" \t\r\n") == std::string::npos) return {};
    clear_interrupt();
    TRIBAR_ASSIGN_OR_RETURN(const Generation g, session_->answer(message, [](std::string_view piece) {
      std::fwrite(piece.data(), 1, piece.size(), stdout);
      std::fflush(stdout);
    }));
    std::fputc('\n', stdout);
    std::fflush(stdout);
    if (g.finish == Finish::kInterrupted && !interactive_) return interrupted_status();
    if (g.finish == Finish::kInterrupted) std::fputs("(stopped)\n", stderr);
    if (g.finish == Finish::kLength) std::fputs("(cut: the limit of tokens was reached)\n", stderr);
    return {};
  }

  ChatSession* session_;
  LineEditor* editor_;
  bool interactive_;
};

Status chat(const ChatOptions& options) {
  InterruptScope interrupt;
  TRIBAR_RETURN_IF_ERROR(sampling_params(options.sampling).status());
  engine::LoadOptions load = load_options(options.model);
  load.max_step_tokens = kPrefillChunk;
  load.max_logit_rows = 1;
  TRIBAR_ASSIGN_OR_RETURN(const std::unique_ptr<engine::LoadedModel> model, open_model(options.model.name, load));
  if (model->tokenizer != nullptr && model->chat_template_source.empty()) {
    return unimplemented(
        "this model has no chat template, it is not made for conversations; 'tribar run' continues a text");
  }
  // A template that does not compile is found out now rather than after the first message.
  TRIBAR_RETURN_IF_ERROR(encode_messages(*model, {{"user", "Hello"}}).status());

  LineEditor editor(options.no_history ? std::string() : default_history_path());
  ChatSession session(model.get(), options.sampling, options.system);
  if (is_terminal(stdin)) {
    std::fprintf(stderr, "%s, context %lld tokens. /help shows commands, Ctrl-D leaves.\n",
                 options.model.name.model.c_str(), static_cast<long long>(model->context_tokens));
  }
  return Chat(&session, &editor).loop();
}

}  // namespace

Command add_chat(CLI::App* root) {
  auto options = std::make_shared<ChatOptions>();
  CLI::App* parser = add_parser(root, "chat", "Talk with a model",
                                "  tribar chat model.gguf\n"
                                "  tribar chat model.gguf --system 'Answer in one sentence.' --temperature 0\n"
                                "  printf 'Hello\\nAnd now in French\\n' | tribar chat model.gguf\n");
  add_model_options(parser, &options->model);
  parser->add_option("--system", options->system, "A system message")->type_name("TEXT");
  parser->add_flag("--no-history", options->no_history, "Neither read nor write the history file");
  add_sampling_options(parser, &options->sampling);
  return {parser, [options] { return chat(*options); }};
}

}  // namespace tribar::app
