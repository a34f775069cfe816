#include "kernel/generic/blocks-inl.h"
#include "kernel/generic/generic.h"

namespace tribar::kernel::TRIBAR_GENERIC {

void add(const AddArgs& args, Shard shard) {
  const F32 scale_b = broadcast(args.scale_b);
  for_each_block(args.a.rows, args.a.cols, shard, [&](int64_t t, int64_t begin, int64_t end) {
    map(args.a.f32(t), args.b.f32(t), args.y.f32(t), begin, end, [&](F32 a, F32 b) { return mul_add(scale_b, b, a); });
  });
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
