#include <cstring>

#include "kernel/generic/blocks-inl.h"
#include "kernel/generic/generic.h"

namespace tribar::kernel::TRIBAR_GENERIC {
namespace {

TRIBAR_INLINE void rotate(float a, float b, float cosine, float sine, float* first, float* second) {
  *first = a * cosine - b * sine;
  *second = a * sine + b * cosine;
}

void rotate_halves(const float* x, const float* cosines, const float* sines, int64_t half, float* y) {
  int64_t i = 0;
  for (; i + kLanes <= half; i += kLanes) {
    const F32 a = load(x + i);
    const F32 b = load(x + half + i);
    const F32 c = load(cosines + i);
    const F32 s = load(sines + i);
    store(y + i, a * c - b * s);
    store(y + half + i, a * s + b * c);
  }
  for (; i < half; ++i) rotate(x[i], x[half + i], cosines[i], sines[i], y + i, y + half + i);
}

void rotate_adjacent(const float* x, const float* cosines, const float* sines, int64_t half, float* y) {
  for (int64_t i = 0; i < half; ++i) {
    rotate(x[2 * i], x[2 * i + 1], cosines[i], sines[i], y + 2 * i, y + 2 * i + 1);
  }
}

}  // namespace

void rope(const RopeArgs& args, Shard shard) {
  const int64_t half = args.table.cols / 2;
  const auto rotate_head = args.pairing == RopePairing::kHalves ? rotate_halves : rotate_adjacent;
  const auto [begin, end] = shard.range(args.x.rows * args.heads);
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t t = unit / args.heads;
    const int64_t offset = unit % args.heads * args.head_dim;
    const float* x = args.x.f32(t) + offset;
    float* y = args.y.f32(t) + offset;
    rotate_head(x, args.table.f32(t), args.table.f32(t) + half, half, y);
    std::memmove(y + 2 * half, x + 2 * half, static_cast<size_t>(args.head_dim - 2 * half) * sizeof(float));
  }
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
