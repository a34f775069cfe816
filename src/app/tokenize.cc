// tribar tokenize: text to token ids and back, with the vocabulary of a model.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "app/json_writer.h"
#include "app/model_options.h"
#include "app/model_path.h"
#include "app/text_input.h"
#include "app/text_jsonl.h"
#include "engine/loaded_model.h"
#include "text/detokenizer.h"

namespace tribar::app {
namespace {

struct TokenizeOptions {
  std::string model;
  std::string models_folder;
  std::string text;
  std::string jsonl;
  bool has_text = false;
  bool ids_only = false;
  bool parse_special = false;
  bool no_bos = false;
};

Status tokenize_lines(const text::Tokenizer& tokenizer, const std::string& file) {
  TRIBAR_ASSIGN_OR_RETURN(const std::string input, read_text(file));
  for (const std::string_view line : split_lines(input)) std::printf("%s\n", tokenize_line(tokenizer, line).c_str());
  return {};
}

// The token as JSON would quote it; half a character shows as U+FFFD.
std::string quoted(const text::Tokenizer& tokenizer, text::TokenId id) {
  text::Utf8Assembler assembler;
  std::string piece = assembler.push(tokenizer.token_bytes(id, /*skip_special=*/false));
  piece += assembler.finish();
  JsonWriter out;
  out.string(piece);
  return out.text();
}

Status print_tokens(const text::Tokenizer& tokenizer, const TokenizeOptions& options) {
  std::string input = options.text;
  if (!options.has_text) {
    TRIBAR_ASSIGN_OR_RETURN(input, read_text("-"));
  }
  std::vector<text::TokenId> ids;
  const text::EncodeOptions encode = {.add_special = !options.no_bos, .parse_special = options.parse_special};
  TRIBAR_RETURN_IF_ERROR(tokenizer.encode(input, encode, &ids));
  for (size_t i = 0; i < ids.size(); ++i) {
    if (options.ids_only) {
      std::printf("%s%d", i == 0 ? "" : ",", ids[i]);
    } else {
      std::printf("%8d  %s\n", ids[i], quoted(tokenizer, ids[i]).c_str());
    }
  }
  if (options.ids_only) std::printf("\n");
  return {};
}

Status tokenize(const TokenizeOptions& options) {
  TRIBAR_ASSIGN_OR_RETURN(const std::string path, resolve_model(options.model, model_folders(options.models_folder)));
  TRIBAR_ASSIGN_OR_RETURN(const engine::LoadedText model, engine::load_text(path));
  if (!options.jsonl.empty()) return tokenize_lines(*model.tokenizer, options.jsonl);
  return print_tokens(*model.tokenizer, options);
}

}  // namespace

Command add_tokenize(CLI::App* root) {
  auto options = std::make_shared<TokenizeOptions>();
  CLI::App* parser = add_parser(root, "tokenize", "Show the tokens of a text",
                                "  tribar tokenize smollm2 'Hello, world'\n"
                                "  tribar tokenize model.gguf --ids < prompt.txt\n"
                                "  tribar tokenize tokenizer.json --jsonl cases.jsonl\n");
  parser->add_option("MODEL", options->model, "A model, a GGUF with only a vocabulary, or a tokenizer.json")
      ->required();
  add_models_folder_option(parser, &options->models_folder);
  CLI::Option* text = parser->add_option("TEXT", options->text, "Text to tokenize (default: standard input)");
  parser->add_flag("--ids", options->ids_only, "Print only the ids, with commas between them");
  parser->add_flag("--special", options->parse_special, "Text that spells a control token becomes that token");
  parser->add_flag("--no-bos", options->no_bos, "Add nothing before or behind the text");
  parser
      ->add_option(
          "--jsonl", options->jsonl,
          "One object a line: text, add_special, parse_special -> {\"ids\":[...]}; or ids, skip_special, stream -> "
          "{\"text\":...} ('-' reads standard input)")
      ->type_name("FILE")
      ->excludes(text);
  return {parser, [options, text]() -> Status {
            options->has_text = text->count() > 0;
            return tokenize(*options);
          }};
}

}  // namespace tribar::app
