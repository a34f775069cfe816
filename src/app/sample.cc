// tribar sample: the exact distribution that sampler settings make of given logits, one JSON line in, one out.
#include <boost/json.hpp>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/json_writer.h"
#include "app/sample_line.h"
#include "app/sampling_json.h"
#include "app/text_input.h"
#include "engine/sampler/sampler.h"

namespace tribar::app {
namespace {

namespace json = boost::json;

// Doubles survive a round trip with 17 digits.
constexpr int kDigits = 17;

Result<std::vector<float>> parse_logits(const json::object& line) {
  const json::value* value = line.if_contains("logits");
  const json::array* array = value == nullptr ? nullptr : value->if_array();
  if (array == nullptr || array->empty()) return invalid_argument("'logits' must be an array of numbers, at least one");
  std::vector<float> logits;
  logits.reserve(array->size());
  for (const json::value& item : *array) {
    json::error_code error;
    const double logit = item.is_null() ? -std::numeric_limits<double>::infinity() : item.to_number<double>(error);
    if (error) return invalid_argument("'logits' must hold numbers and null");
    logits.push_back(static_cast<float>(logit));
  }
  return logits;
}

Result<std::vector<int32_t>> parse_ids(const json::object& line, std::string_view name, size_t vocab_size) {
  std::vector<int32_t> ids;
  const json::value* value = line.if_contains(name);
  if (value == nullptr || value->is_null()) return ids;
  const json::array* array = value->if_array();
  if (array == nullptr) return invalid_argument("'" + std::string(name) + "' must be an array of token ids");
  for (const json::value& item : *array) {
    json::error_code error;
    const auto id = item.to_number<int32_t>(error);
    if (error || id < 0 || static_cast<size_t>(id) >= vocab_size) {
      return invalid_argument("'" + std::string(name) + "' holds something that is not a token of the " +
                              std::to_string(vocab_size) + " logits");
    }
    ids.push_back(id);
  }
  return ids;
}

Result<engine::SamplingParams> parse_params(const json::object& line) {
  engine::SamplingParams params;
  const json::value* value = line.if_contains("params");
  if (value == nullptr || value->is_null()) return params;
  const json::object* object = value->if_object();
  if (object == nullptr) return invalid_argument("'params' must be an object");
  TRIBAR_RETURN_IF_ERROR(parse_sampling_params(*object, &params));
  return params;
}

Result<std::vector<double>> probabilities(std::string_view text) {
  json::error_code error;
  const json::value parsed = json::parse({text.data(), text.size()}, error);
  if (error) return invalid_argument("not JSON: " + error.message());
  const json::object* line = parsed.if_object();
  if (line == nullptr) return invalid_argument("the line must be a JSON object");
  TRIBAR_ASSIGN_OR_RETURN(const std::vector<float> logits, parse_logits(*line));
  TRIBAR_ASSIGN_OR_RETURN(const engine::SamplingParams params, parse_params(*line));
  TRIBAR_RETURN_IF_ERROR(validate(params, static_cast<int64_t>(logits.size())));
  TRIBAR_ASSIGN_OR_RETURN(const std::vector<int32_t> prompt, parse_ids(*line, "prompt_ids", logits.size()));
  TRIBAR_ASSIGN_OR_RETURN(const std::vector<int32_t> output, parse_ids(*line, "output_ids", logits.size()));

  engine::Sampler sampler(params, prompt);
  for (int32_t id : output) sampler.accept(id);
  TRIBAR_ASSIGN_OR_RETURN(const engine::Candidates* candidates, sampler.distribution(logits));
  std::vector<double> probs(logits.size(), 0.0);
  const double total = candidates->total_weight();
  for (const engine::Candidate& c : candidates->items()) probs[static_cast<size_t>(c.id)] = c.weight / total;
  return probs;
}

}  // namespace

std::string sample_line(std::string_view text) {
  JsonWriter out;
  const Result<std::vector<double>> probs = probabilities(text);
  if (!probs.ok()) {
    out.begin_object().key("error").begin_object();
    out.key("kind").string(status_code_name(probs.status().code())).key("message").string(probs.status().message());
    out.end_object().end_object();
    return out.text();
  }
  out.begin_object().key("probs").begin_array();
  for (double p : *probs) out.number(p, kDigits);
  out.end_array().end_object();
  return out.text();
}

Command add_sample(CLI::App* root) {
  auto file = std::make_shared<std::string>();
  CLI::App* parser = add_parser(root, "sample", "Show the distribution that sampler settings make of given logits",
                                "  tribar sample --jsonl cases.jsonl\n"
                                "  echo '{\"logits\":[2,1,0.5],\"params\":{\"top_k\":2}}' | tribar sample --jsonl -\n");
  parser
      ->add_option("--jsonl", *file,
                   "One object a line: logits, params, prompt_ids, output_ids; writes {\"probs\":[...]} or "
                   "{\"error\":{...}} for each ('-' reads standard input)")
      ->required()
      ->type_name("FILE");
  return {parser, [file]() -> Status {
            TRIBAR_ASSIGN_OR_RETURN(const std::string text, read_text(*file));
            for (std::string_view line : split_lines(text)) std::printf("%s\n", sample_line(line).c_str());
            return {};
          }};
}

}  // namespace tribar::app
