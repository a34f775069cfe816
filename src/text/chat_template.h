// ChatTemplate: renders messages to a prompt with the model's Jinja template (minijinja, rust/textkit).
//
//   TRIBAR_ASSIGN_OR_RETURN(std::unique_ptr<ChatTemplate> t, ChatTemplate::compile(source));
//   t->render(R"({"messages":[{"role":"user","content":"hi"}],"add_generation_prompt":true,"bos_token":"<s>"})");
//
// Variables come as a JSON object whose key order is kept and where 1.0 is not 1. The functions that Hugging Face templates
// use are there: raise_exception, strftime_now (fixed by `now`), tojson as HF defines it, loop controls, Python string, list
// and dict methods, {% generation %}.
// Limits: template 1 MiB, output 4 MiB, a fuel of 10 M instructions, nesting of the JSON 64.
// Errors: see TemplateErrorKind; a template that does not compile is kSyntax. Rendering never crashes and does no I/O.
//
// encode_chat: message text must not become control tokens. The rendered prompt is encoded in parts: parts that stem from the
// template are parsed for control tokens, parts that stem from message text are not.
// Threads: immutable; any number of callers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "text/tokenizer.h"

namespace tribar::text {

enum class TemplateErrorKind : uint8_t { kRaiseException, kSyntax, kSecurity, kLimit, kRuntime };
// "raise_exception", "syntax", "security", "limit", "runtime".
std::string_view template_error_kind_name(TemplateErrorKind kind);

struct TemplateError {
  TemplateErrorKind kind = TemplateErrorKind::kRuntime;
  std::string message;
};

struct RenderResult {
  std::string text;
  bool failed = false;
  TemplateError error;
};

class ChatTemplate {
 public:
  virtual ~ChatTemplate() = default;
  // On failure returns null and fills `error`.
  static std::unique_ptr<ChatTemplate> compile(std::string_view source, TemplateError* error);

  // `now`: "2026-01-02T03:04:05", or empty for the real local time.
  virtual RenderResult render(std::string_view variables_json, std::string_view now = {}) const = 0;
  // As render, then encoded so that text from messages, tools or documents never becomes a control token.
  virtual Status encode_chat(const Tokenizer& tokenizer, std::string_view variables_json, std::vector<TokenId>* ids,
                             std::string_view now = {}) const = 0;
};

}  // namespace tribar::text
