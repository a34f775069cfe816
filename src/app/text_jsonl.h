// The scripting forms of `tribar tokenize --jsonl` and `tribar render --jsonl`: one line in, one line out.
//
//   tokenize_line(tokenizer, R"({"text":"Hello","add_special":true})")   // {"ids":[1,15043]}
//   tokenize_line(tokenizer, R"({"ids":[1,15043],"skip_special":true})") // {"text":"Hello"}
//   LineRenderer(template, tokens).line(R"({"messages":[...]})")         // {"text":"..."}
//
// A line that can not be carried out gives {"error":{"kind":...,"message":...}}; nothing a line holds ends the run.
// Field names: docs/cli.md.
// Threads: functions of their arguments.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace tribar::app {

// {"text": string or {"repeat":[string, n]}, "add_special"?, "parse_special"?} → {"ids":[...]}
// {"ids":[...], "skip_special"?, "stream"?} → {"text":"..."}, with "stream": the pieces as they would be printed,
// the last one being what the end releases.
std::string tokenize_line(const text::Tokenizer& tokenizer, std::string_view line);

// What templates of a model are called with when a line does not say it.
struct RenderDefaults {
  std::string bos_token, eos_token;
};

class LineRenderer {
 public:
  // `source` may not compile, or be empty for a model without a template: lines that need it then say so.
  LineRenderer(std::string_view source, RenderDefaults defaults);

  // {"messages", "tools"?, "documents"?, "add_generation_prompt"?, "kwargs"?, "bos_token"?, "eos_token"?, "now"?} or
  // {"template", "vars"?, "now"?} → {"text":"..."}
  std::string line(std::string_view line) const;

  // The template itself; null if it did not compile (see `error`).
  const text::ChatTemplate* compiled() const { return template_.get(); }
  const text::TemplateError& error() const { return error_; }
  const RenderDefaults& defaults() const { return defaults_; }

 private:
  std::unique_ptr<text::ChatTemplate> template_;
  text::TemplateError error_;
  RenderDefaults defaults_;
};

// The variables that a template sees, as JSON, from an object such as LineRenderer::line takes, or from a list of
// messages. kInvalidArgument if it is neither.
Result<std::string> render_variables(std::string_view json, const RenderDefaults& defaults);

}  // namespace tribar::app
