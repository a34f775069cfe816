#include <algorithm>

#include "kernel/reference/reference.h"

namespace tribar::kernel::reference {
namespace {

void rotate_head(const RopeArgs& args, const float* x, const float* cosines, float* y) {
  const int64_t half = args.table.cols / 2;
  const float* sines = cosines + half;
  const bool adjacent = args.pairing == RopePairing::kAdjacent;
  for (int64_t i = 0; i < half; ++i) {
    const int64_t first = adjacent ? 2 * i : i;
    const int64_t second = adjacent ? 2 * i + 1 : i + half;
    const double a = x[first];
    const double b = x[second];
    y[first] = static_cast<float>(a * cosines[i] - b * sines[i]);
    y[second] = static_cast<float>(a * sines[i] + b * cosines[i]);
  }
  std::copy(x + 2 * half, x + args.head_dim, y + 2 * half);
}

}  // namespace

void rope(const RopeArgs& args, Shard shard) {
  const auto [begin, end] = shard.range(args.x.rows);
  for (int64_t t = begin; t < end; ++t) {
    for (int64_t h = 0; h < args.heads; ++h) {
      const int64_t offset = h * args.head_dim;
      rotate_head(args, args.x.f32(t) + offset, args.table.f32(t), args.y.f32(t) + offset);
    }
  }
}

}  // namespace tribar::kernel::reference
