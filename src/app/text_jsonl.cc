#include "app/text_jsonl.h"

#include <boost/json.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "app/json_writer.h"
#include "base/status.h"
#include "text/detokenizer.h"

namespace tribar::app {
namespace {

namespace json = boost::json;

// Longest text that {"repeat":[s, n]} may stand for: what a tokenizer takes.
constexpr uint64_t kMaxRepeatedBytes = 16U << 20;
constexpr size_t kMaxDepth = 64;

std::string error_line(std::string_view kind, std::string_view message) {
  JsonWriter out;
  out.begin_object().key("error").begin_object().key("kind").string(kind).key("message").string(message);
  out.end_object().end_object();
  return out.text();
}
std::string error_line(const Status& status) { return error_line(status_code_name(status.code()), status.message()); }
std::string error_line(const text::TemplateError& error) {
  return error_line(text::template_error_kind_name(error.kind), error.message);
}

Result<json::value> parse_json(std::string_view line) {
  json::error_code error;
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::value value = json::parse({line.data(), line.size()}, error, {}, options);
  if (error) return invalid_argument("not JSON: " + error.message());
  return value;
}

Result<json::object> parse_object(std::string_view line) {
  TRIBAR_ASSIGN_OR_RETURN(json::value value, parse_json(line));
  if (!value.is_object()) return invalid_argument("the line must be a JSON object");
  return std::move(value.get_object());
}

// Absent and null are false; anything but true and false is wrong.
Result<bool> flag(const json::object& line, std::string_view name) {
  const json::value* value = line.if_contains(name);
  if (value == nullptr || value->is_null()) return false;
  if (!value->is_bool()) return invalid_argument("'" + std::string(name) + "' must be true or false");
  return value->get_bool();
}

Result<std::string> text_of(const json::value& value) {
  const Status wrong = invalid_argument("'text' must be a string or {\"repeat\":[string, count]}");
  if (value.is_string()) return std::string(value.get_string());
  const json::object* object = value.if_object();
  const json::value* repeat = object == nullptr ? nullptr : object->if_contains("repeat");
  if (repeat == nullptr || !repeat->is_array() || repeat->get_array().size() != 2) return wrong;
  const json::value& piece = repeat->get_array()[0];
  json::error_code error;
  const auto count = repeat->get_array()[1].to_number<uint64_t>(error);
  if (error || !piece.is_string()) return wrong;
  const json::string& text = piece.get_string();
  if (!text.empty() && count > kMaxRepeatedBytes / text.size()) {
    return invalid_argument("the repeated text is longer than " + std::to_string(kMaxRepeatedBytes) + " bytes");
  }
  std::string repeated;
  repeated.reserve(text.size() * count);
  for (uint64_t i = 0; i < (text.empty() ? 0 : count); ++i) repeated += text;
  return repeated;
}

Result<std::string> encoded(const text::Tokenizer& tokenizer, const json::object& line) {
  TRIBAR_ASSIGN_OR_RETURN(const std::string text, text_of(line.at("text")));
  text::EncodeOptions options;
  TRIBAR_ASSIGN_OR_RETURN(options.add_special, flag(line, "add_special"));
  TRIBAR_ASSIGN_OR_RETURN(options.parse_special, flag(line, "parse_special"));
  std::vector<text::TokenId> ids;
  TRIBAR_RETURN_IF_ERROR(tokenizer.encode(text, options, &ids));
  JsonWriter out;
  out.begin_object().key("ids").begin_array();
  for (const text::TokenId id : ids) out.integer(id);
  out.end_array().end_object();
  return out.text();
}

Result<std::vector<text::TokenId>> ids_of(const json::object& line) {
  const json::array* array = line.at("ids").if_array();
  if (array == nullptr) return invalid_argument("'ids' must be an array of token ids");
  std::vector<text::TokenId> ids;
  ids.reserve(array->size());
  for (const json::value& item : *array) {
    json::error_code error;
    ids.push_back(item.to_number<text::TokenId>(error));
    if (error) return invalid_argument("'ids' must be an array of token ids");
  }
  return ids;
}

// `true` asks for the pieces; so does the list of pieces that a golden line has there.
bool wants_stream(const json::object& line) {
  const json::value* stream = line.if_contains("stream");
  return stream != nullptr && (stream->is_array() || (stream->is_bool() && stream->get_bool()));
}

Result<std::string> decoded(const text::Tokenizer& tokenizer, const json::object& line) {
  TRIBAR_ASSIGN_OR_RETURN(const std::vector<text::TokenId> ids, ids_of(line));
  text::DecodeOptions options;
  TRIBAR_ASSIGN_OR_RETURN(options.skip_special, flag(line, "skip_special"));
  JsonWriter out;
  out.begin_object().key("text").string(text::decode(tokenizer, ids, options));
  if (wants_stream(line)) {
    text::StreamDecoder decoder(&tokenizer, options);
    out.key("stream").begin_array();
    for (const text::TokenId id : ids) out.string(decoder.push(id));
    out.string(decoder.finish()).end_array();
  }
  out.end_object();
  return out.text();
}

Result<std::string> tokenized(const text::Tokenizer& tokenizer, std::string_view text) {
  TRIBAR_ASSIGN_OR_RETURN(const json::object line, parse_object(text));
  if (line.contains("text") && !line.contains("ids")) return encoded(tokenizer, line);
  if (line.contains("ids")) return decoded(tokenizer, line);
  return invalid_argument("the line must have 'text' or 'ids'");
}

std::string rendered_line(const text::RenderResult& result) {
  if (result.failed) return error_line(result.error);
  JsonWriter out;
  out.begin_object().key("text").string(result.text).end_object();
  return out.text();
}

std::string string_or(const json::object& line, std::string_view name, const std::string& otherwise) {
  const json::value* value = line.if_contains(name);
  if (value == nullptr || !value->is_string()) return otherwise;
  return std::string(value->get_string());
}

json::object variables_of(const json::object& line, const RenderDefaults& defaults) {
  json::object variables;
  for (const char* name : {"messages", "tools", "documents"}) {
    const json::value* value = line.if_contains(name);
    variables[name] = value != nullptr ? *value : json::value();
  }
  const json::value* prompt = line.if_contains("add_generation_prompt");
  variables["add_generation_prompt"] = prompt != nullptr ? *prompt : json::value(false);
  variables["bos_token"] = string_or(line, "bos_token", defaults.bos_token);
  variables["eos_token"] = string_or(line, "eos_token", defaults.eos_token);
  const json::value* kwargs = line.if_contains("kwargs");
  if (kwargs != nullptr && kwargs->is_object()) {
    for (const auto& [name, value] : kwargs->get_object()) variables[name] = value;
  }
  return variables;
}

// A line with its own template: {"template":..., "vars":{...}}.
Result<std::string> render_own_template(const json::object& line) {
  const json::value& source = line.at("template");
  if (!source.is_string()) return invalid_argument("'template' must be a string");
  const json::value* vars = line.if_contains("vars");
  if (vars != nullptr && !vars->is_object()) return invalid_argument("'vars' must be an object");
  text::TemplateError error;
  const std::unique_ptr<text::ChatTemplate> compiled = text::ChatTemplate::compile(source.get_string(), &error);
  if (compiled == nullptr) return error_line(error);
  const std::string variables = vars == nullptr ? "{}" : json::serialize(*vars);
  return rendered_line(compiled->render(variables, string_or(line, "now", "")));
}

}  // namespace

std::string tokenize_line(const text::Tokenizer& tokenizer, std::string_view line) {
  Result<std::string> out = tokenized(tokenizer, line);
  return out.ok() ? std::move(out).value() : error_line(out.status());
}

LineRenderer::LineRenderer(std::string_view source, RenderDefaults defaults) : defaults_(std::move(defaults)) {
  if (source.empty()) {
    error_ = {text::TemplateErrorKind::kRuntime, "the model has no chat template"};
  } else {
    template_ = text::ChatTemplate::compile(source, &error_);
  }
}

std::string LineRenderer::line(std::string_view line) const {
  Result<json::object> parsed = parse_object(line);
  if (!parsed.ok()) return error_line(parsed.status());
  if (parsed->contains("template")) {
    Result<std::string> out = render_own_template(*parsed);
    return out.ok() ? std::move(out).value() : error_line(out.status());
  }
  if (template_ == nullptr) return error_line(error_);
  const std::string variables = json::serialize(variables_of(*parsed, defaults_));
  return rendered_line(template_->render(variables, string_or(*parsed, "now", "")));
}

Result<std::string> render_variables(std::string_view text, const RenderDefaults& defaults) {
  TRIBAR_ASSIGN_OR_RETURN(json::value value, parse_json(text));
  if (value.is_array()) value = json::object{{"messages", std::move(value)}};
  if (!value.is_object() || !value.get_object().contains("messages")) {
    return invalid_argument("expected a list of messages, or an object with 'messages'");
  }
  return json::serialize(variables_of(value.get_object(), defaults));
}

}  // namespace tribar::app
