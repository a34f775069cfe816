#include <cmath>

#include "kernel/generic/blocks-inl.h"
#include "kernel/generic/generic.h"
#include "kernel/generic/reduce-inl.h"

namespace tribar::kernel::TRIBAR_GENERIC {

void rms_norm(const RmsNormArgs& args, Shard shard) {
  const int64_t cols = args.x.cols / args.groups;
  const auto [begin, end] = shard.range(args.x.rows * args.groups);
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t offset = unit % args.groups * cols;
    const float* x = args.x.f32(unit / args.groups) + offset;
    float* y = args.y.f32(unit / args.groups) + offset;
    const float sum_of_squares = sum_of(x, cols, [](F32 v, F32 sum) { return mul_add(v, v, sum); });
    const float inverse_rms = 1.0f / ::sqrtf(sum_of_squares / static_cast<float>(cols) + args.eps);
    map(x, args.w, y, 0, cols, [&](F32 v, F32 w) { return v * inverse_rms * (w + args.weight_offset); });
  }
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
