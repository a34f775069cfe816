#include "engine/sampler/sampling_params.h"

#include <cstdio>
#include <limits>
#include <string>

namespace tribar::engine {
namespace {

constexpr double kMax = std::numeric_limits<double>::max();

struct Range {
  double low, high;
  bool low_allowed = true;
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// Written so that NaN fails.
bool inside(double value, Range range) {
  return (range.low_allowed ? value >= range.low : value > range.low) && value <= range.high;
}

std::string describe(Range range) {
  if (range.high == kMax) return (range.low_allowed ? "at least " : "more than ") + number(range.low);
  return (range.low_allowed ? "from " : "more than ") + number(range.low) +
         (range.low_allowed ? " to " : " and at most ") + number(range.high);
}

Status check(const char* name, double value, Range range) {
  if (inside(value, range)) return {};
  return invalid_argument(std::string(name) + " is " + number(value) + " but must be " + describe(range));
}

}  // namespace

Status validate(const SamplingParams& p, int64_t vocab_size) {
  TRIBAR_RETURN_IF_ERROR(check("temperature", p.temperature, {0, kMax}));
  TRIBAR_RETURN_IF_ERROR(check("top_p", p.top_p, {0, 1, false}));
  TRIBAR_RETURN_IF_ERROR(check("min_p", p.min_p, {0, 1}));
  TRIBAR_RETURN_IF_ERROR(check("typical_p", p.typical_p, {0, 1, false}));
  TRIBAR_RETURN_IF_ERROR(check("repetition_penalty", p.repetition_penalty, {0, kMax, false}));
  TRIBAR_RETURN_IF_ERROR(check("presence_penalty", p.presence_penalty, {-2, 2}));
  TRIBAR_RETURN_IF_ERROR(check("frequency_penalty", p.frequency_penalty, {-2, 2}));
  for (const auto& [id, bias] : p.logit_bias) {
    if (id < 0 || id >= vocab_size) {
      return invalid_argument("logit_bias names token " + std::to_string(id) + " but the vocabulary has " +
                              std::to_string(vocab_size) + " tokens");
    }
    TRIBAR_RETURN_IF_ERROR(check("a logit_bias", bias, {-100, 100}));
  }
  return {};
}

}  // namespace tribar::engine
