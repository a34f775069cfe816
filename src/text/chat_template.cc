#include "text/chat_template.h"

#include <array>
#include <ctime>
#include <utility>

#include "text/textkit_call.h"

namespace tribar::text {
namespace {

struct FreeTemplate {
  void operator()(TkTemplate* tmpl) const { tk_template_free(tmpl); }
};

TemplateError to_template_error(int32_t code, std::string message) {
  switch (code) {
    case kTkRaiseException: return {TemplateErrorKind::kRaiseException, std::move(message)};
    case kTkSyntax: return {TemplateErrorKind::kSyntax, std::move(message)};
    case kTkSecurity: return {TemplateErrorKind::kSecurity, std::move(message)};
    case kTkTemplateLimit: return {TemplateErrorKind::kLimit, std::move(message)};
    default: return {TemplateErrorKind::kRuntime, std::move(message)};
  }
}

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 32> text{};
  const size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  return {text.data(), size};
}

std::string time_or_now(std::string_view now) { return now.empty() ? local_time() : std::string(now); }

class TextkitTemplate final : public ChatTemplate {
 public:
  explicit TextkitTemplate(TkTemplate* handle) : handle_(handle) {}

  RenderResult render(std::string_view variables_json, std::string_view now) const override {
    const std::string time = time_or_now(now);
    TkBuffer text{};
    TkBuffer error{};
    const int32_t code = tk_template_render(handle_.get(), as_bytes(variables_json), as_bytes(time), &text, &error);
    if (code != kTkOk) return {.text = {}, .failed = true, .error = to_template_error(code, take(error))};
    return {.text = take(text), .failed = false, .error = {}};
  }

  Status encode_chat(const Tokenizer& tokenizer, std::string_view variables_json, std::vector<TokenId>* ids,
                     std::string_view now) const override {
    const std::string time = time_or_now(now);
    TkBuffer text{};
    TkSpans user_text{};
    TkBuffer error{};
    const int32_t code = tk_template_render_tracked(handle_.get(), tokenizer.handle(), as_bytes(variables_json),
                                                    as_bytes(time), &text, &user_text, &error);
    if (code != kTkOk) return to_status(code, take(error)).with_context("chat template");
    std::vector<TextSpan> spans;
    spans.reserve(user_text.size);
    for (size_t i = 0; i < user_text.size; ++i) spans.push_back({user_text.data[i].begin, user_text.data[i].end});
    tk_spans_free(user_text);
    return tokenizer.encode_prompt(take(text), spans, ids);
  }

 private:
  std::unique_ptr<TkTemplate, FreeTemplate> handle_;
};

}  // namespace

std::string_view template_error_kind_name(TemplateErrorKind kind) {
  switch (kind) {
    case TemplateErrorKind::kRaiseException: return "raise_exception";
    case TemplateErrorKind::kSyntax: return "syntax";
    case TemplateErrorKind::kSecurity: return "security";
    case TemplateErrorKind::kLimit: return "limit";
    case TemplateErrorKind::kRuntime: return "runtime";
  }
  return "runtime";
}

std::unique_ptr<ChatTemplate> ChatTemplate::compile(std::string_view source, TemplateError* error) {
  TkTemplate* handle = nullptr;
  TkBuffer message{};
  const int32_t code = tk_template_compile(as_bytes(source), &handle, &message);
  if (code == kTkOk) return std::make_unique<TextkitTemplate>(handle);
  if (error != nullptr) {
    *error = to_template_error(code, take(message));
  } else {
    tk_buffer_free(message);
  }
  return nullptr;
}

}  // namespace tribar::text
