#include <cmath>

#include "kernel/reference/reference.h"

namespace tribar::kernel::reference {

void rms_norm(const RmsNormArgs& args, Shard shard) {
  const int64_t group_cols = args.x.cols / args.groups;
  const auto [begin, end] = shard.range(args.x.rows);
  for (int64_t t = begin; t < end; ++t) {
    for (int64_t g = 0; g < args.groups; ++g) {
      const float* x = args.x.f32(t) + g * group_cols;
      float* y = args.y.f32(t) + g * group_cols;
      double sum_of_squares = 0.0;
      for (int64_t i = 0; i < group_cols; ++i) sum_of_squares += static_cast<double>(x[i]) * x[i];
      const double inverse_rms = 1.0 / std::sqrt(sum_of_squares / static_cast<double>(group_cols) + args.eps);
      for (int64_t i = 0; i < group_cols; ++i) {
        y[i] = static_cast<float>(x[i] * inverse_rms * (static_cast<double>(args.w[i]) + args.weight_offset));
      }
    }
  }
}

}  // namespace tribar::kernel::reference
