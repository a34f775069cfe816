#include "text/special_tokens.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <string>

namespace tribar::text {
namespace {

// Texts of tokens that end a turn in published models. A file that has one as a token means it so.
constexpr std::array kEndTexts = std::to_array<std::string_view>({
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<end_of_turn>",
    "<turn|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eom_id|>",
    "<EOT>",
    "< EOT >",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<｜end▁of▁sentence｜>",
    "<end_of_utterance>",
    "<|end_of_turn|>",
    "<|endofturn|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|return|>",
    "<|call|>",
    "<|user|>",
    "<|observation|>",
});

// "<|user|>" and "<|observation|>" end a turn only in the GLM family, which has both.
bool applies(std::string_view text, const FindToken& find) {
  if (text == "<|user|>") return find("<|observation|>").has_value() && find("[gMASK]").has_value();
  if (text == "<|observation|>") return find("[gMASK]").has_value();
  // In the harmony format <|end|> ends a message, not the answer.
  if (text == "<|end|>") return !(find("<|return|>").has_value() && find("<|call|>").has_value());
  return true;
}

Result<std::optional<TokenId>> checked(std::string_view key, std::optional<int64_t> id, int64_t vocab_size) {
  if (!id.has_value()) return std::optional<TokenId>();
  if (*id < 0 || *id >= vocab_size) {
    return data_loss(std::string(key) + " " + std::to_string(*id) + " is not one of " + std::to_string(vocab_size) +
                     " tokens");
  }
  return std::optional<TokenId>(static_cast<TokenId>(*id));
}

void add_end_tokens(const FindToken& find, SpecialTokens* special) {
  for (const std::string_view text : kEndTexts) {
    const std::optional<TokenId> id = find(text);
    if (id.has_value() && applies(text, find)) special->end.push_back(*id);
  }
}

void sort_end_tokens(SpecialTokens* special) {
  std::ranges::sort(special->end);
  const auto duplicates = std::ranges::unique(special->end);
  special->end.erase(duplicates.begin(), duplicates.end());
}

Status add_extra_end_tokens(const TokenizerSource& source, int64_t vocab_size, SpecialTokens* special) {
  for (const int64_t id : source.extra_end_tokens) {
    // A config's ids may lie beyond the tokenizer, in the padding of the embedding: no token can have them, so none
    // ends there.
    if (id >= 0 && id < vocab_size) special->end.push_back(static_cast<TokenId>(id));
  }
  return {};
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, text) != list.end();
}

// What llama.cpp does where the file does not say.
bool adds_bos_by_default(const TokenizerSource& source) {
  if (source.model == "llama" || source.model == "bert" || source.model == "gemma4") return true;
  return source.model == "gpt2" && is_one_of(source.pre, {"llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1",
                                                          "pixtral", "midm-2.0", "lfm2", "tekken"});
}

// A text or an object with "content", as tokenizer_config.json and special_tokens_map.json have them.
std::optional<TokenId> named_token(const boost::json::object& config, std::string_view key, const FindToken& find) {
  const boost::json::value* value = config.if_contains(key);
  if (value != nullptr && value->is_object()) value = value->get_object().if_contains("content");
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return find(value->get_string());
}

}  // namespace

Result<SpecialTokens> special_tokens_of_gguf(const TokenizerSource& source, int64_t vocab_size, const FindToken& find) {
  SpecialTokens special;
  TRIBAR_ASSIGN_OR_RETURN(special.bos, checked("tokenizer.ggml.bos_token_id", source.bos, vocab_size));
  TRIBAR_ASSIGN_OR_RETURN(special.eos, checked("tokenizer.ggml.eos_token_id", source.eos, vocab_size));
  TRIBAR_ASSIGN_OR_RETURN(auto eot, checked("tokenizer.ggml.eot_token_id", source.eot, vocab_size));
  TRIBAR_ASSIGN_OR_RETURN(auto eom, checked("tokenizer.ggml.eom_token_id", source.eom, vocab_size));
  TRIBAR_ASSIGN_OR_RETURN(auto cls, checked("tokenizer.ggml.cls_token_id", source.cls, vocab_size));
  TRIBAR_ASSIGN_OR_RETURN(auto sep, checked("tokenizer.ggml.seperator_token_id", source.sep, vocab_size));

  const bool is_bert = source.model == "bert";
  if (is_bert && !special.bos) special.bos = cls;
  const bool add_bos = source.add_bos.value_or(adds_bos_by_default(source));
  const bool add_eos = is_bert ? source.add_sep.value_or(true) : source.add_eos.value_or(source.model == "t5");
  const std::optional<TokenId> begin = is_bert && cls ? cls : special.bos;
  const std::optional<TokenId> end = is_bert && sep ? sep : special.eos;
  if (add_bos && begin) special.prefix.push_back(*begin);
  if (add_eos && end) special.suffix.push_back(*end);
  special.adds_bos = add_bos && begin.has_value();

  for (const auto& id : {special.eos, eot, eom}) {
    if (id) special.end.push_back(*id);
  }
  add_end_tokens(find, &special);
  TRIBAR_RETURN_IF_ERROR(add_extra_end_tokens(source, vocab_size, &special));
  sort_end_tokens(&special);
  return special;
}

Result<SpecialTokens> special_tokens_of_json(const TokenizerSource& source, int64_t vocab_size, const FindToken& find) {
  SpecialTokens special;
  if (!source.tokenizer_config_json.empty()) {
    boost::system::error_code error;
    boost::json::parse_options options;
    options.max_depth = 64;
    const boost::json::value root = boost::json::parse(source.tokenizer_config_json, error, {}, options);
    if (error || !root.is_object()) return data_loss("tokenizer_config.json is not a JSON object");
    special.bos = named_token(root.get_object(), "bos_token", find);
    special.eos = named_token(root.get_object(), "eos_token", find);
  }
  if (special.eos) special.end.push_back(*special.eos);
  TRIBAR_RETURN_IF_ERROR(add_extra_end_tokens(source, vocab_size, &special));
  add_end_tokens(find, &special);
  sort_end_tokens(&special);
  return special;
}

}  // namespace tribar::text
