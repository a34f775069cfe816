// ChatTemplate: renders messages to a prompt with the model's Jinja template (minijinja, rust/textkit).
//
//   TemplateError error;
//   std::unique_ptr<ChatTemplate> t = ChatTemplate::compile(source, &error);   // null: see error
//   t->render(R"({"messages":[{"role":"user","content":"hi"}],"add_generation_prompt":true,"bos_token":"<s>"})");
//
// Variables come as a JSON object whose key order is kept and where 1.0 is not 1. Templates mean what they mean to
// Jinja2 in Hugging Face's sandbox (trim_blocks, lstrip_blocks): raise_exception, strftime_now (fixed by `now`),
// tojson as HF defines it, loop controls, Python's methods of str, list and dict, {% generation %}.
// Limits: template 1 MiB, output 4 MiB, 2 M units of fuel (instructions, and 64-byte pieces made), JSON nested 64 deep.
// Errors: see TemplateErrorKind; a template that does not compile is kSyntax. Rendering never crashes and does no I/O.
//
// encode_chat: message text must not become control tokens. The rendered prompt is encoded so that control tokens
// are only recognised in text that stems from the template; what stems from messages, tools or documents stays text.
// The prompt begins as the template writes it: no BOS is added.
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
  // As render, then encoded so that text from messages, tools or documents never becomes a control token. A template
  // that fails is kInvalidArgument with its message.
  virtual Status encode_chat(const Tokenizer& tokenizer, std::string_view variables_json, std::vector<TokenId>* ids,
                             std::string_view now = {}) const = 0;
};

}  // namespace tribar::text
