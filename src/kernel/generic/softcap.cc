#include "kernel/generic/blocks-inl.h"
#include "kernel/generic/generic.h"
#include "kernel/generic/math-inl.h"

namespace tribar::kernel::TRIBAR_GENERIC {

void softcap(const SoftcapArgs& args, Shard shard) {
  const F32 cap = broadcast(args.cap);
  for_each_block(args.x.rows, args.x.cols, shard, [&](int64_t t, int64_t begin, int64_t end) {
    map(args.x.f32(t), args.y.f32(t), begin, end, [&](F32 x) { return cap * tanh(x / cap); });
  });
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
