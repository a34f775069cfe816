// tribar render: the prompt that a chat template makes of messages.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "app/commands.h"
#include "app/model_options.h"
#include "app/model_path.h"
#include "app/text_input.h"
#include "app/text_jsonl.h"
#include "engine/loaded_model.h"
#include "engine/tokenizer_source.h"

namespace tribar::app {
namespace {

struct RenderOptions {
  std::string model;
  std::string models_folder;
  std::string template_file;
  std::string messages;
  std::string jsonl;
  std::string now;
};

Result<LineRenderer> open_renderer(const RenderOptions& options) {
  if (!options.template_file.empty()) {
    TRIBAR_ASSIGN_OR_RETURN(const std::string source, read_text(options.template_file));
    return LineRenderer(source, {});
  }
  TRIBAR_ASSIGN_OR_RETURN(const std::string path, resolve_model(options.model, model_folders(options.models_folder)));
  TRIBAR_ASSIGN_OR_RETURN(const engine::LoadedText model, engine::load_text(path));
  engine::TemplateTokens tokens = engine::template_tokens(*model.tokenizer);
  return LineRenderer(model.chat_template_source, {std::move(tokens.bos), std::move(tokens.eos)});
}

Status render_messages(const LineRenderer& renderer, const RenderOptions& options) {
  TRIBAR_ASSIGN_OR_RETURN(const std::string input, read_text(options.messages));
  if (renderer.compiled() == nullptr) return invalid_argument(renderer.error().message);
  TRIBAR_ASSIGN_OR_RETURN(const std::string variables, render_variables(input, renderer.defaults()));
  const text::RenderResult result = renderer.compiled()->render(variables, options.now);
  if (result.failed) return invalid_argument("the template fails: " + result.error.message);
  std::fwrite(result.text.data(), 1, result.text.size(), stdout);
  return {};
}

Status render(const RenderOptions& options) {
  if (options.model.empty() == options.template_file.empty()) {
    return invalid_argument("say either MODEL or --template FILE");
  }
  if (options.messages.empty() == options.jsonl.empty()) {
    return invalid_argument("say either --messages FILE or --jsonl FILE");
  }
  TRIBAR_ASSIGN_OR_RETURN(const LineRenderer renderer, open_renderer(options));
  if (options.jsonl.empty()) return render_messages(renderer, options);
  TRIBAR_ASSIGN_OR_RETURN(const std::string input, read_text(options.jsonl));
  for (const std::string_view line : split_lines(input)) std::printf("%s\n", renderer.line(line).c_str());
  return {};
}

}  // namespace

Command add_render(CLI::App* root) {
  auto options = std::make_shared<RenderOptions>();
  CLI::App* parser = add_parser(root, "render", "Show the prompt that a chat template makes of messages",
                                "  tribar render smollm2 --messages chat.json\n"
                                "  tribar render --template chat.jinja --jsonl cases.jsonl\n");
  parser->add_option("MODEL", options->model, "A model with a chat template");
  add_models_folder_option(parser, &options->models_folder);
  parser->add_option("--template", options->template_file, "A Jinja file instead of a model's template")
      ->type_name("FILE");
  parser
      ->add_option("--messages", options->messages,
                   "A JSON list of messages, or an object with messages, tools, add_generation_prompt, kwargs")
      ->type_name("FILE");
  parser
      ->add_option("--jsonl", options->jsonl,
                   "One object a line: messages, tools, add_generation_prompt, kwargs, bos_token, eos_token, now; or "
                   "template, vars; writes {\"text\":...} or {\"error\":{...}} for each ('-' reads standard input)")
      ->type_name("FILE");
  parser->add_option("--now", options->now, "The time that the template sees, 2026-01-02T03:04:05 (default: now)")
      ->type_name("TIME");
  return {parser, [options] { return render(*options); }};
}

}  // namespace tribar::app
