#include <cmath>

#include "kernel/reference/reference.h"

namespace tribar::kernel::reference {
namespace {

// Dynamic NTK changes the base with the length; the frequencies follow from the base.
double dynamic_frequency(const RopeTableArgs& args, int64_t length, int64_t i) {
  const double dim = static_cast<double>(args.y.cols);
  const double growth = args.dynamic_factor * (static_cast<double>(length) / static_cast<double>(args.dynamic_length)) -
                        (args.dynamic_factor - 1.0);
  const double base = args.dynamic_base * std::pow(growth, dim / (dim - 2.0));
  return std::pow(base, -2.0 * static_cast<double>(i) / dim);
}

void fill_row(const RopeTableArgs& args, int64_t t, float* y) {
  const int64_t half = args.y.cols / 2;
  const int64_t length = args.lengths != nullptr ? args.lengths[t] : 0;
  const bool use_long = args.switch_length > 0 && length > args.switch_length && !args.inv_freq_long.empty();
  const bool use_dynamic = args.dynamic_length > 0 && length > args.dynamic_length;
  const std::span<const float> inv_freq = use_long ? args.inv_freq_long : args.inv_freq;
  const double factor = use_long ? args.attention_factor_long : args.attention_factor;
  for (int64_t i = 0; i < half; ++i) {
    const double frequency = use_dynamic ? dynamic_frequency(args, length, i) : inv_freq[static_cast<size_t>(i)];
    const double angle = static_cast<double>(args.positions[t]) * frequency;
    y[i] = static_cast<float>(std::cos(angle) * factor);
    y[half + i] = static_cast<float>(std::sin(angle) * factor);
  }
}

}  // namespace

void rope_table(const RopeTableArgs& args, Shard shard) {
  const auto [begin, end] = shard.range(args.y.rows);
  for (int64_t t = begin; t < end; ++t) fill_row(args, t, args.y.f32(t));
}

}  // namespace tribar::kernel::reference
