#include "app/sampling_options.h"

#include <charconv>
#include <limits>
#include <random>

namespace tribar::app {
namespace {

Result<std::pair<int32_t, double>> parse_bias(const std::string& text) {
  std::pair<int32_t, double> bias{};
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, bias.first);
  if (error == std::errc() && stop != end && *stop == '=') {
    const auto amount = std::from_chars(stop + (stop + 1 < end && stop[1] == '+' ? 2 : 1), end, bias.second);
    if (amount.ec == std::errc() && amount.ptr == end) return bias;
  }
  return invalid_argument("--logit-bias '" + text + "' is not of the form TOKEN=AMOUNT, for example 15043=-2.5");
}

}  // namespace

void add_sampling_options(CLI::App* parser, SamplingOptions* options) {
  engine::SamplingParams& p = options->params;
  const std::string group = "Sampling";
  const auto add = [&](const char* names, auto& value, const char* type, const char* text) {
    return parser->add_option(names, value, text)->type_name(type)->group(group);
  };
  add("-n,--max-tokens", options->max_tokens, "N", "Most tokens to generate")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 24))
      ->capture_default_str();
  add("--temperature", p.temperature, "T", "0 always takes the most probable token")->capture_default_str();
  add("--top-k", p.top_k, "K", "Keep the K most probable tokens; 0: off")->capture_default_str();
  add("--top-p", p.top_p, "P", "Keep the most probable tokens that sum to P; 1: off")->capture_default_str();
  add("--min-p", p.min_p, "P", "Keep tokens with at least P times the largest probability; 0: off")
      ->capture_default_str();
  add("--typical-p", p.typical_p, "P", "Keep the most typical tokens that sum to P; 1: off")->capture_default_str();
  add("--repetition-penalty", p.repetition_penalty, "R", "Divide the logits of tokens seen before; 1: off")
      ->capture_default_str();
  add("--presence-penalty", p.presence_penalty, "X", "Subtract from tokens that were generated")->capture_default_str();
  add("--frequency-penalty", p.frequency_penalty, "X", "Subtract for each time a token was generated")
      ->capture_default_str();
  add("--logit-bias", options->logit_bias, "TOKEN=X", "Add to the logit of a token; may be repeated")
      ->allow_extra_args(false);
  add("--seed", options->seed, "N", "The same seed gives the same text; random by default");
  add("--stop", options->stops, "TEXT", "End before this text appears; may be repeated")->allow_extra_args(false);
}

Result<engine::SamplingParams> sampling_params(const SamplingOptions& options) {
  engine::SamplingParams params = options.params;
  for (const std::string& text : options.logit_bias) {
    TRIBAR_ASSIGN_OR_RETURN(const auto bias, parse_bias(text));
    params.logit_bias.push_back(bias);
  }
  // Everything but the vocabulary can be checked before a model is loaded.
  TRIBAR_RETURN_IF_ERROR(validate(params, std::numeric_limits<int64_t>::max()));
  // 32 bits are easy to type again and more than enough to differ.
  params.seed = options.seed ? *options.seed : std::random_device{}();
  return params;
}

}  // namespace tribar::app
