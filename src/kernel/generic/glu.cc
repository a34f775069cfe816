#include "kernel/generic/activation-inl.h"
#include "kernel/generic/blocks-inl.h"
#include "kernel/generic/generic.h"

namespace tribar::kernel::TRIBAR_GENERIC {

void glu(const GluArgs& args, Shard shard) {
  with_activation(args.activation, [&](auto activation) {
    for_each_block(args.gate.rows, args.gate.cols, shard, [&](int64_t t, int64_t begin, int64_t end) {
      map(args.gate.f32(t), args.up.f32(t), args.y.f32(t), begin, end,
          [&](F32 gate, F32 up) { return activation(gate) * up; });
    });
  });
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
