#include "model/config.h"

#include <algorithm>
#include <cmath>

namespace tribar::model {
namespace {

std::string number(int64_t value) { return std::to_string(value); }

Status validate_rope(const RopeConfig& rope, int64_t head_dim) {
  if (rope.rot_dim < 2 || rope.rot_dim % 2 != 0 || rope.rot_dim > head_dim) {
    return data_loss("rotary dimension " + number(rope.rot_dim) + " is not an even part of head dimension " +
                     number(head_dim));
  }
  if (rope.scaling == RopeScaling::kDynamic && rope.rot_dim <= 2) {
    return data_loss("dynamic rope scaling needs a rotary dimension above 2");
  }
  if (rope.scaling == RopeScaling::kYarn && !(rope.theta > 1.0)) return data_loss("yarn needs a rope base above 1");
  if (rope.scaling == RopeScaling::kLlama3 && !(rope.high_freq_factor > rope.low_freq_factor)) {
    return data_loss("high_freq_factor is not above low_freq_factor");
  }
  if (rope.scaling == RopeScaling::kLongRope && !rope.factor_tensors) {
    const auto half = static_cast<size_t>(rope.rot_dim / 2);
    if (rope.short_factors.size() != half || rope.long_factors.size() != half) {
      return data_loss("short_factor and long_factor need " + number(rope.rot_dim / 2) + " numbers each");
    }
  }
  return {};
}

}  // namespace

Status validate(ModelConfig* config) {
  const ModelConfig& c = *config;
  if (c.heads % c.kv_heads != 0) {
    return data_loss(number(c.heads) + " attention heads cannot share " + number(c.kv_heads) + " key-value heads");
  }
  if (c.heads * c.head_dim > kMaxWidth) {
    return data_loss(number(c.heads) + " heads of " + number(c.head_dim) + " values are more than allowed");
  }
  if (std::any_of(c.layers.begin(), c.layers.end(), [](const LayerConfig& l) { return l.rope && !l.local_rope; })) {
    TRIBAR_RETURN_IF_ERROR(validate_rope(c.rope, c.head_dim));
  }
  if (std::any_of(c.layers.begin(), c.layers.end(), [](const LayerConfig& l) { return l.rope && l.local_rope; })) {
    TRIBAR_RETURN_IF_ERROR(validate_rope(c.local_rope, c.head_dim));
  }
  if (config->attention_scale == 0.0f) {
    config->attention_scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(c.head_dim)));
  }
  return {};
}

}  // namespace tribar::model
