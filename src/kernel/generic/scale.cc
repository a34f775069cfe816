#include "kernel/generic/blocks-inl.h"
#include "kernel/generic/generic.h"

namespace tribar::kernel::TRIBAR_GENERIC {

void scale(const ScaleArgs& args, Shard shard) {
  for_each_block(args.x.rows, args.x.cols, shard, [&](int64_t t, int64_t begin, int64_t end) {
    map(args.x.f32(t), args.y.f32(t), begin, end, [&](F32 x) { return x * args.scale; });
  });
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
