#include "model/block/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tribar::model {
namespace {

using Frequencies = std::vector<double>;

Frequencies base_frequencies(const RopeConfig& c) {
  Frequencies f(static_cast<size_t>(c.rot_dim / 2));
  for (size_t i = 0; i < f.size(); ++i) {
    f[i] = std::pow(c.theta, -2.0 * static_cast<double>(i) / static_cast<double>(c.rot_dim));
  }
  return f;
}

// The dimension whose wave turns `rotations` times within the original length.
double yarn_dimension(const RopeConfig& c, double rotations) {
  const double length = static_cast<double>(c.original_length);
  return static_cast<double>(c.rot_dim) * std::log(length / (rotations * 2.0 * std::numbers::pi)) /
         (2.0 * std::log(c.theta));
}

void scale_yarn(const RopeConfig& c, Frequencies* f) {
  double low = yarn_dimension(c, c.beta_fast);
  double high = yarn_dimension(c, c.beta_slow);
  if (c.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(c.rot_dim - 1));
  if (low == high) high += 0.001;  // no division by zero
  for (size_t i = 0; i < f->size(); ++i) {
    const double interpolated = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    (*f)[i] = (*f)[i] / c.factor * interpolated + (*f)[i] * (1.0 - interpolated);
  }
}

void scale_llama3(const RopeConfig& c, Frequencies* f) {
  const double length = static_cast<double>(c.original_length);
  for (double& frequency : *f) {
    const double wavelength = 2.0 * std::numbers::pi / frequency;
    if (wavelength < length / c.high_freq_factor) continue;
    if (wavelength > length / c.low_freq_factor) {
      frequency /= c.factor;
    } else {
      const double smooth = (length / wavelength - c.low_freq_factor) / (c.high_freq_factor - c.low_freq_factor);
      frequency = (1.0 - smooth) * frequency / c.factor + smooth * frequency;
    }
  }
}

std::vector<float> divided(const Frequencies& f, const std::vector<double>& divisors) {
  std::vector<float> out(f.size());
  for (size_t i = 0; i < f.size(); ++i) out[i] = static_cast<float>(divisors.empty() ? f[i] : f[i] / divisors[i]);
  return out;
}

Result<graph::ValueId> build_table(BlockContext& m, const RopeConfig& c) {
  graph::ValueId factors = graph::kNoValue;
  graph::ValueId factors_long = graph::kNoValue;
  if (c.factor_tensors && c.scaling == RopeScaling::kLongRope) {
    TRIBAR_ASSIGN_OR_RETURN(factors, m.weights.vector({Role::kRopeFactorsShort}, c.rot_dim / 2));
    TRIBAR_ASSIGN_OR_RETURN(factors_long, m.weights.vector({Role::kRopeFactorsLong}, c.rot_dim / 2));
  } else if (c.factor_tensors) {
    TRIBAR_ASSIGN_OR_RETURN(factors, m.weights.vector({Role::kRopeFactors}, c.rot_dim / 2));
  }
  return m.builder.rope_table(rope_table_attrs(c), factors, factors_long);
}

}  // namespace

double yarn_attention_factor(double factor, double mscale) {
  return factor <= 1.0 ? 1.0 : 0.1 * mscale * std::log(factor) + 1.0;
}

double longrope_attention_factor(double factor, int64_t original_length) {
  if (factor <= 1.0 || original_length <= 1) return 1.0;
  return std::sqrt(1.0 + std::log(factor) / std::log(static_cast<double>(original_length)));
}

graph::RopeTableAttrs rope_table_attrs(const RopeConfig& c) {
  Frequencies f = base_frequencies(c);
  graph::RopeTableAttrs attrs;
  attrs.attention_factor = static_cast<float>(c.attention_factor);
  attrs.attention_factor_long = attrs.attention_factor;
  switch (c.scaling) {
    case RopeScaling::kNone: break;
    case RopeScaling::kLinear:
      for (double& frequency : f) frequency /= c.factor;
      break;
    case RopeScaling::kYarn: scale_yarn(c, &f); break;
    case RopeScaling::kLlama3: scale_llama3(c, &f); break;
    case RopeScaling::kDynamic:
      attrs.dynamic_length = c.original_length;
      attrs.dynamic_factor = static_cast<float>(c.factor);
      attrs.dynamic_base = static_cast<float>(c.theta);
      break;
    case RopeScaling::kLongRope:
      attrs.switch_length = c.original_length;
      attrs.inv_freq_long = divided(f, c.long_factors);
      break;
  }
  attrs.inv_freq = divided(f, c.short_factors);
  return attrs;
}

Result<RopeTables> build_rope_tables(BlockContext& m) {
  RopeTables tables;
  for (const LayerConfig& layer : m.config.layers) {
    if (!layer.rope) continue;
    graph::ValueId& table = layer.local_rope ? tables.local : tables.global;
    if (table != graph::kNoValue) continue;
    TRIBAR_ASSIGN_OR_RETURN(table, build_table(m, layer.local_rope ? m.config.local_rope : m.config.rope));
  }
  return tables;
}

}  // namespace tribar::model
