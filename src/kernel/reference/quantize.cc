#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/reference/reference.h"
#include "tensor/act_q8.h"

namespace tribar::kernel::reference {
namespace {

// The scale of a group, by the rules of tensor/act_q8.h.
float group_scale(const float* x, int64_t n) {
  float peak = 0.0f;
  for (int64_t i = 0; i < n; ++i) {
    if (!std::isfinite(x[i])) return std::numeric_limits<float>::quiet_NaN();
    peak = std::max(peak, std::fabs(x[i]));
  }
  return peak < act_q8::kSmallestPeak ? 0.0f : peak / 127.0f;
}

void quantize_row(const float* x, int64_t cols, int64_t group, std::byte* y) {
  auto* q = reinterpret_cast<int8_t*>(y);
  auto* scale = reinterpret_cast<float*>(y + act_q8::scale_offset_bytes(cols));
  auto* sum = reinterpret_cast<int16_t*>(y + act_q8::sum_offset_bytes(cols));
  const int64_t padded = act_q8::padded_cols(cols);
  std::fill(q, q + padded, int8_t{0});

  for (int64_t begin = 0; begin < padded; begin += group) {
    const int64_t padded_end = std::min(begin + group, padded);
    const int64_t end = std::min(padded_end, cols);
    const float s = group_scale(x + begin, end - begin);
    for (int64_t i = begin; i < padded_end; i += act_q8::kGroup) scale[i / act_q8::kGroup] = s;
    if (!(s > 0.0f)) continue;
    for (int64_t i = begin; i < end; ++i) q[i] = static_cast<int8_t>(std::nearbyint(x[i] / s));
  }
  for (int64_t begin = 0; begin < padded; begin += act_q8::kSumGroup) {
    int total = 0;
    for (int64_t i = begin; i < begin + act_q8::kSumGroup; ++i) total += q[i];
    sum[begin / act_q8::kSumGroup] = static_cast<int16_t>(total);
  }
}

}  // namespace

void quantize(const QuantizeArgs& args, Shard shard) {
  const auto [begin, end] = shard.range(args.x.rows);
  for (int64_t t = begin; t < end; ++t) {
    quantize_row(args.x.f32(t), args.x.cols, args.group, args.y.row<std::byte>(t));
  }
}

}  // namespace tribar::kernel::reference
