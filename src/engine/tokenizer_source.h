// What a tokenizer and a chat template are made from, taken out of an opened model: the glue between format/ and text/.
//
//   TRIBAR_ASSIGN_OR_RETURN(text::TokenizerSource source, tokenizer_source(*files));
//   TRIBAR_ASSIGN_OR_RETURN(auto tokenizer, text::make_tokenizer(source));
//   const std::string jinja = chat_template_source(*files);   // empty: the model has none
//
// Errors: kNotFound for a model without a tokenizer, kDataLoss for keys of a wrong type.
// Threads: pure functions.
#pragma once

#include <string>

#include "base/status.h"
#include "format/model_files.h"
#include "text/tokenizer.h"

namespace tribar::engine {

Result<text::TokenizerSource> tokenizer_source(const format::ModelFiles& files);

// tokenizer.chat_template of a GGUF; chat_template.jinja or tokenizer_config.json of a directory. Of several named
// templates the one called "default".
std::string chat_template_source(const format::ModelFiles& files);
std::string chat_template_of_config(const std::string& tokenizer_config_json);

// The texts that templates know as bos_token and eos_token; empty where the model has no such token.
struct TemplateTokens {
  std::string bos, eos;
};
TemplateTokens template_tokens(const text::Tokenizer& tokenizer);

}  // namespace tribar::engine
