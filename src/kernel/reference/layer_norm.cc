#include <cmath>

#include "kernel/reference/reference.h"

namespace tribar::kernel::reference {

void layer_norm(const LayerNormArgs& args, Shard shard) {
  const int64_t cols = args.x.cols;
  const auto [begin, end] = shard.range(args.x.rows);
  for (int64_t t = begin; t < end; ++t) {
    const float* x = args.x.f32(t);
    float* y = args.y.f32(t);
    double sum = 0.0;
    for (int64_t i = 0; i < cols; ++i) sum += x[i];
    const double mean = sum / static_cast<double>(cols);
    double sum_of_squares = 0.0;
    for (int64_t i = 0; i < cols; ++i) sum_of_squares += (x[i] - mean) * (x[i] - mean);
    const double inverse_deviation = 1.0 / std::sqrt(sum_of_squares / static_cast<double>(cols) + args.eps);
    for (int64_t i = 0; i < cols; ++i) {
      const double bias = args.bias != nullptr ? args.bias[i] : 0.0;
      y[i] = static_cast<float>((x[i] - mean) * inverse_deviation * args.w[i] + bias);
    }
  }
}

}  // namespace tribar::kernel::reference
