#include <cmath>

#include "kernel/generic/blocks-inl.h"
#include "kernel/generic/generic.h"
#include "kernel/generic/reduce-inl.h"

namespace tribar::kernel::TRIBAR_GENERIC {

void layer_norm(const LayerNormArgs& args, Shard shard) {
  const int64_t cols = args.x.cols;
  const float inverse_cols = 1.0f / static_cast<float>(cols);
  const auto [begin, end] = shard.range(args.x.rows);
  for (int64_t t = begin; t < end; ++t) {
    const float* x = args.x.f32(t);
    float* y = args.y.f32(t);
    const float mean = sum_of(x, cols, [](F32 v, F32 sum) { return sum + v; }) * inverse_cols;
    // Two passes: the differences are small where the values are not. y keeps them (it may be x itself).
    map(x, y, 0, cols, [&](F32 v) { return v - mean; });
    const float variance = sum_of(y, cols, [](F32 v, F32 sum) { return mul_add(v, v, sum); }) * inverse_cols;
    const float inverse_deviation = 1.0f / ::sqrtf(variance + args.eps);
    map(y, args.w, y, 0, cols, [&](F32 v, F32 w) { return v * inverse_deviation * w; });
    if (args.bias != nullptr) map(y, args.bias, y, 0, cols, [](F32 v, F32 bias) { return v + bias; });
  }
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
