#include "kernel/reference/reference.h"

namespace tribar::kernel::reference {

void add(const AddArgs& args, Shard shard) {
  const auto [begin, end] = shard.range(args.a.rows);
  for (int64_t t = begin; t < end; ++t) {
    const float* a = args.a.f32(t);
    const float* b = args.b.f32(t);
    float* y = args.y.f32(t);
    for (int64_t i = 0; i < args.a.cols; ++i) y[i] = a[i] + args.scale_b * b[i];
  }
}

}  // namespace tribar::kernel::reference
