#include <algorithm>

#include "kernel/reference/reference.h"

namespace tribar::kernel::reference {

void gather_rows(const GatherRowsArgs& args, Shard shard) {
  const auto [begin, end] = shard.range(args.y.rows);
  for (int64_t r = begin; r < end; ++r) {
    const float* x = args.x.f32(args.rows[r]);
    std::copy(x, x + args.x.cols, args.y.f32(r));
  }
}

}  // namespace tribar::kernel::reference
