#include "kernel/reference/activation.h"
#include "kernel/reference/reference.h"

namespace tribar::kernel::reference {

void glu(const GluArgs& args, Shard shard) {
  const auto [begin, end] = shard.range(args.gate.rows);
  for (int64_t t = begin; t < end; ++t) {
    const float* gate = args.gate.f32(t);
    const float* up = args.up.f32(t);
    float* y = args.y.f32(t);
    for (int64_t i = 0; i < args.gate.cols; ++i) {
      y[i] = static_cast<float>(activate_value(args.activation, gate[i]) * up[i]);
    }
  }
}

}  // namespace tribar::kernel::reference
