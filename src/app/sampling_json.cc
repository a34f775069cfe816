#include "app/sampling_json.h"

#include <charconv>
#include <cmath>
#include <string>

#include "app/suggest.h"

namespace tribar::app {
namespace {

namespace json = boost::json;
using engine::SamplingParams;

struct Field {
  const char* name;
  double SamplingParams::* member;
};
constexpr Field kFields[] = {
    {"temperature", &SamplingParams::temperature},
    {"top_p", &SamplingParams::top_p},
    {"min_p", &SamplingParams::min_p},
    {"typical_p", &SamplingParams::typical_p},
    {"repetition_penalty", &SamplingParams::repetition_penalty},
    {"presence_penalty", &SamplingParams::presence_penalty},
    {"frequency_penalty", &SamplingParams::frequency_penalty},
};

Status wrong_type(std::string_view name, std::string_view wanted) {
  return invalid_argument(std::string(name) + " must be " + std::string(wanted));
}

Result<double> number(std::string_view name, const json::value& value) {
  json::error_code error;
  const auto result = value.to_number<double>(error);
  if (error || !std::isfinite(result)) return wrong_type(name, "a number");
  return result;
}

template <typename Integer>
Result<Integer> integer(std::string_view name, const json::value& value) {
  json::error_code error;
  const auto result = value.to_number<Integer>(error);  // also takes 40.0
  if (error) return wrong_type(name, "an integer in range");
  return result;
}

Status parse_bias(const json::value& value, SamplingParams* params) {
  params->logit_bias.clear();
  const json::object* biases = value.if_object();
  if (biases == nullptr) return wrong_type("logit_bias", "an object of token ids and numbers");
  for (const auto& [key, bias] : *biases) {
    int32_t id = 0;
    const char* end = key.data() + key.size();
    if (const auto [stop, error] = std::from_chars(key.data(), end, id); error != std::errc() || stop != end) {
      return wrong_type("logit_bias", "an object of token ids; '" + std::string(key) + "' is none");
    }
    TRIBAR_ASSIGN_OR_RETURN(const double amount, number("a logit_bias", bias));
    params->logit_bias.emplace_back(id, amount);
  }
  return {};
}

Status unknown_name(std::string_view name) {
  std::vector<std::string> names = {"top_k", "seed", "logit_bias"};
  for (const Field& field : kFields) names.emplace_back(field.name);
  std::string message = "unknown sampling parameter '" + std::string(name) + "'";
  const std::vector<std::string> near = closest(name, names, 1);
  if (!near.empty()) message += "; did you mean '" + near.front() + "'?";
  return invalid_argument(message);
}

Status parse_field(std::string_view name, const json::value& value, SamplingParams* params) {
  for (const Field& field : kFields) {
    if (name != field.name) continue;
    TRIBAR_ASSIGN_OR_RETURN(params->*field.member, number(name, value));
    return {};
  }
  if (name == "top_k") {
    TRIBAR_ASSIGN_OR_RETURN(params->top_k, integer<int64_t>(name, value));
  } else if (name == "seed") {
    TRIBAR_ASSIGN_OR_RETURN(params->seed, integer<uint64_t>(name, value));
  } else if (name == "logit_bias") {
    return parse_bias(value, params);
  } else {
    return unknown_name(name);
  }
  return {};
}

}  // namespace

Status parse_sampling_params(const json::object& object, SamplingParams* params) {
  for (const auto& [name, value] : object) {
    if (value.is_null()) continue;
    TRIBAR_RETURN_IF_ERROR(parse_field(std::string_view(name.data(), name.size()), value, params));
  }
  return {};
}

}  // namespace tribar::app
