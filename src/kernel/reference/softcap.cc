#include <cmath>

#include "kernel/reference/reference.h"

namespace tribar::kernel::reference {

void softcap(const SoftcapArgs& args, Shard shard) {
  const double cap = args.cap;
  const auto [begin, end] = shard.range(args.x.rows);
  for (int64_t t = begin; t < end; ++t) {
    const float* x = args.x.f32(t);
    float* y = args.y.f32(t);
    for (int64_t i = 0; i < args.x.cols; ++i) y[i] = static_cast<float>(cap * std::tanh(x[i] / cap));
  }
}

}  // namespace tribar::kernel::reference
