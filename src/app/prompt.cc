#include "app/prompt.h"

#include <optional>

#include "app/json_writer.h"

namespace tribar::app {
namespace {

std::string token_text(const text::Tokenizer& tokenizer, std::optional<text::TokenId> token) {
  return token ? std::string(tokenizer.token_text(*token)) : std::string();
}

Status require_tokenizer(const engine::LoadedModel& model) {
  if (model.tokenizer != nullptr) return {};
  return unimplemented("this model has no tokenizer; 'tribar logits' runs it on token ids");
}

}  // namespace

std::string template_variables(const Messages& messages, const text::Tokenizer& tokenizer) {
  JsonWriter json;
  json.begin_object().key("messages").begin_array();
  for (const Message& message : messages) {
    json.begin_object().key("role").string(message.role).key("content").string(message.content).end_object();
  }
  json.end_array().key("add_generation_prompt").boolean(true);
  json.key("bos_token").string(token_text(tokenizer, tokenizer.bos()));
  json.key("eos_token").string(token_text(tokenizer, tokenizer.eos()));
  json.end_object();
  return json.text();
}

Result<std::vector<int32_t>> encode_messages(const engine::LoadedModel& model, const Messages& messages) {
  TRIBAR_RETURN_IF_ERROR(require_tokenizer(model));
  if (model.chat_template == nullptr) {
    if (model.chat_template_source.empty()) return unimplemented("this model has no chat template");
    return unimplemented("this model's chat template does not compile: " + model.chat_template_error.message);
  }
  std::vector<int32_t> ids;
  const std::string variables = template_variables(messages, *model.tokenizer);
  TRIBAR_RETURN_IF_ERROR(model.chat_template->encode_chat(*model.tokenizer, variables, &ids));
  return ids;
}

Result<std::vector<int32_t>> encode_text(const engine::LoadedModel& model, const std::string& text,
                                         SpecialText special) {
  TRIBAR_RETURN_IF_ERROR(require_tokenizer(model));
  std::vector<int32_t> ids;
  const text::EncodeOptions options{.add_special = true, .parse_special = special == SpecialText::kParse};
  TRIBAR_RETURN_IF_ERROR(model.tokenizer->encode(text, options, &ids));
  return ids;
}

}  // namespace tribar::app
