#include "kernel/reference/reference.h"

namespace tribar::kernel::reference {

void scale(const ScaleArgs& args, Shard shard) {
  const auto [begin, end] = shard.range(args.x.rows);
  for (int64_t t = begin; t < end; ++t) {
    const float* x = args.x.f32(t);
    float* y = args.y.f32(t);
    for (int64_t i = 0; i < args.x.cols; ++i) y[i] = args.scale * x[i];
  }
}

}  // namespace tribar::kernel::reference
