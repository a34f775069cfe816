#include "engine/tokenizer_source.h"

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked_int.h"

namespace tribar::engine {
namespace {

using format::Metadata;

const std::string kPrefix = "tokenizer.ggml.";

std::string string_or_empty(const Metadata& metadata, const std::string& key) {
  return std::string(metadata.get_string(key).value_or(std::string_view()));
}

// A key that is there must be a list of strings.
Status read_strings(const Metadata& metadata, const std::string& key, std::vector<std::string>* out) {
  if (!metadata.contains(key)) return {};
  const std::vector<std::string>* strings = metadata.get_strings(key);
  if (strings == nullptr) return data_loss(key + " is not a list of strings");
  *out = *strings;
  return {};
}

Status read_scores(const Metadata& metadata, std::vector<float>* out) {
  const std::string key = kPrefix + "scores";
  if (!metadata.contains(key)) return {};
  const std::optional<std::vector<double>> scores = metadata.get_doubles(key);
  if (!scores) return data_loss(key + " is not a list of numbers");
  out->reserve(scores->size());
  for (const double score : *scores) out->push_back(static_cast<float>(score));
  return {};
}

Status read_token_types(const Metadata& metadata, std::vector<int32_t>* out) {
  const std::string key = kPrefix + "token_type";
  if (!metadata.contains(key)) return {};
  const std::optional<std::vector<int64_t>> types = metadata.get_ints(key);
  if (!types) return data_loss(key + " is not a list of integers");
  out->reserve(types->size());
  for (const int64_t type : *types) {
    const std::optional<int32_t> small = checked_cast<int32_t>(type);
    if (!small) return data_loss(key + " holds " + std::to_string(type));
    out->push_back(*small);
  }
  return {};
}

Status read_charsmap(const Metadata& metadata, std::vector<uint8_t>* out) {
  const std::string key = kPrefix + "precompiled_charsmap";
  if (!metadata.contains(key)) return {};
  const std::optional<std::vector<int64_t>> bytes = metadata.get_ints(key);
  if (!bytes) return data_loss(key + " is not a list of bytes");
  out->reserve(bytes->size());
  // Some writers store the bytes as signed integers.
  for (const int64_t byte : *bytes) out->push_back(static_cast<uint8_t>(byte & 0xFF));
  return {};
}

Result<text::TokenizerSource> gguf_source(const Metadata& metadata) {
  if (!metadata.contains(kPrefix + "model")) return not_found("the file has no tokenizer (tokenizer.ggml.model)");
  text::TokenizerSource source;
  source.model = string_or_empty(metadata, kPrefix + "model");
  source.pre = string_or_empty(metadata, kPrefix + "pre");
  source.architecture = string_or_empty(metadata, "general.architecture");
  TRIBAR_RETURN_IF_ERROR(read_strings(metadata, kPrefix + "tokens", &source.tokens));
  TRIBAR_RETURN_IF_ERROR(read_strings(metadata, kPrefix + "merges", &source.merges));
  TRIBAR_RETURN_IF_ERROR(read_scores(metadata, &source.scores));
  TRIBAR_RETURN_IF_ERROR(read_token_types(metadata, &source.token_types));
  TRIBAR_RETURN_IF_ERROR(read_charsmap(metadata, &source.precompiled_charsmap));
  const auto id = [&](const char* name) { return metadata.get_int(kPrefix + name + "_token_id"); };
  const auto flag = [&](const char* name) { return metadata.get_bool(kPrefix + name); };
  source.bos = id("bos");
  source.eos = id("eos");
  source.eot = id("eot");
  source.eom = id("eom");
  source.unk = id("unknown");
  source.sep = id("seperator");  // as the format spells it
  source.pad = id("padding");
  source.cls = id("cls");
  source.mask = id("mask");
  source.add_bos = flag("add_bos_token");
  source.add_eos = flag("add_eos_token");
  source.add_sep = flag("add_sep_token");
  source.add_space_prefix = flag("add_space_prefix");
  source.remove_extra_whitespaces = flag("remove_extra_whitespaces");
  source.escape_whitespaces = flag("escape_whitespaces");
  return source;
}

void append_ids(const Metadata& metadata, std::string_view key, std::vector<int64_t>* out) {
  if (const std::optional<int64_t> id = metadata.get_int(key)) out->push_back(*id);
  if (const std::optional<std::vector<int64_t>> ids = metadata.get_ints(key)) {
    out->insert(out->end(), ids->begin(), ids->end());
  }
}

Result<text::TokenizerSource> directory_source(const format::ModelFiles& files) {
  text::TokenizerSource source;
  source.tokenizer_json = files.side_file("tokenizer.json");
  if (source.tokenizer_json.empty()) return not_found("the model's directory has no tokenizer.json");
  source.tokenizer_config_json = files.side_file("tokenizer_config.json");
  append_ids(files.metadata(), "eos_token_id", &source.extra_end_tokens);
  append_ids(files.metadata(), "generation_config.eos_token_id", &source.extra_end_tokens);
  return source;
}

std::string template_named_default(const boost::json::array& templates) {
  for (const boost::json::value& entry : templates) {
    if (!entry.is_object()) continue;
    const boost::json::value* name = entry.get_object().if_contains("name");
    const boost::json::value* source = entry.get_object().if_contains("template");
    if (name == nullptr || source == nullptr || !name->is_string() || !source->is_string()) continue;
    if (name->get_string() == "default") return std::string(source->get_string());
  }
  return {};
}

}  // namespace

Result<text::TokenizerSource> tokenizer_source(const format::ModelFiles& files) {
  if (files.container() == format::Container::kGguf) return gguf_source(files.metadata());
  return directory_source(files);
}

std::string chat_template_of_config(const std::string& tokenizer_config_json) {
  if (tokenizer_config_json.empty()) return {};
  boost::system::error_code error;
  const boost::json::value root = boost::json::parse(tokenizer_config_json, error);
  if (error || !root.is_object()) return {};
  const boost::json::value* value = root.get_object().if_contains("chat_template");
  if (value == nullptr) return {};
  if (value->is_string()) return std::string(value->get_string());
  if (value->is_array()) return template_named_default(value->get_array());
  return {};
}

std::string chat_template_source(const format::ModelFiles& files) {
  if (files.container() == format::Container::kGguf) {
    return string_or_empty(files.metadata(), "tokenizer.chat_template");
  }
  const std::string& jinja = files.side_file("chat_template.jinja");
  if (!jinja.empty()) return jinja;
  return chat_template_of_config(files.side_file("tokenizer_config.json"));
}

TemplateTokens template_tokens(const text::Tokenizer& tokenizer) {
  TemplateTokens tokens;
  if (const auto id = tokenizer.bos()) tokens.bos = tokenizer.token_text(*id);
  if (const auto id = tokenizer.eos()) tokens.eos = tokenizer.token_text(*id);
  return tokens;
}

}  // namespace tribar::engine
