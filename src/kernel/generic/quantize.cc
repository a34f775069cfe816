#include "kernel/generic/generic.h"
#include "kernel/generic/math-inl.h"
#include "tensor/act_q8.h"

namespace tribar::kernel::TRIBAR_GENERIC {
namespace {

constexpr int64_t kVectors = act_q8::kGroup / kLanes;

void load_group(const float* x, int64_t n, F32 (&values)[kVectors]) {
  for (int64_t v = 0; v < kVectors; ++v) {
    const int64_t left = n - v * kLanes;
    values[v] = left >= kLanes ? load(x + v * kLanes) : load_partial(x + v * kLanes, left);
  }
}

// The largest |x| of n values as its bits: magnitudes order like integers, and NaN above infinity above all numbers.
int32_t peak_bits(const float* x, int64_t n) {
  I32 peak{};
  for (int64_t i = 0; i < n; i += act_q8::kGroup) {
    F32 values[kVectors];
    load_group(x + i, n - i, values);
    for (const F32& v : values) peak = max(peak, bits_of(abs(v)));
  }
  int32_t lanes[kLanes];
  store(lanes, peak);
  int32_t best = 0;
  for (int32_t lane : lanes) best = lane > best ? lane : best;
  return best;
}

float scale_of(int32_t peak) {
  constexpr int32_t kInfinityBits = 0x7f800000;
  constexpr int32_t kQuietNan = 0x7fc00000;
  float value;
  std::memcpy(&value, peak >= kInfinityBits ? &kQuietNan : &peak, sizeof value);
  if (peak >= kInfinityBits) return value;
  return value < act_q8::kSmallestPeak ? 0.0f : value / 127.0f;
}

// Quantises the 32 values that start at x, of which n <= 32 exist.
void quantize_group(const float* x, int64_t n, float scale, int8_t* q, int16_t* sums) {
  int32_t levels[act_q8::kGroup] = {};
  if (scale > 0.0f) {
    F32 values[kVectors];
    load_group(x, n, values);
    for (int64_t v = 0; v < kVectors; ++v) {
      const F32 shifted = values[v] / scale + kRoundingMagic;
      store(levels + v * kLanes, bits_of(shifted) - bits_of(broadcast(kRoundingMagic)));
    }
  }
  for (int64_t i = 0; i < act_q8::kGroup; ++i) q[i] = static_cast<int8_t>(levels[i]);
  for (int64_t part = 0; part < act_q8::kGroup / act_q8::kSumGroup; ++part) {
    int32_t sum = 0;
    for (int64_t i = 0; i < act_q8::kSumGroup; ++i) sum += levels[part * act_q8::kSumGroup + i];
    sums[part] = static_cast<int16_t>(sum);
  }
}

}  // namespace

void quantize(const QuantizeArgs& args, Shard shard) {
  const int64_t cols = args.x.cols;
  const int64_t padded = act_q8::padded_cols(cols);  // padding is part of the last groups
  const int64_t groups = (padded + args.group - 1) / args.group;
  const auto [first, last] = shard.range(args.x.rows * groups);
  for (int64_t g = first; g < last; ++g) {
    const int64_t begin = g % groups * args.group;
    const int64_t end = begin + args.group < padded ? begin + args.group : padded;
    const float* x = args.x.f32(g / groups);
    auto* row = args.y.row<std::byte>(g / groups);
    auto* q = reinterpret_cast<int8_t*>(row);
    auto* scale = reinterpret_cast<float*>(row + act_q8::scale_offset_bytes(cols));
    auto* sum = reinterpret_cast<int16_t*>(row + act_q8::sum_offset_bytes(cols));
    const float shared = scale_of(peak_bits(x + begin, (end < cols ? end : cols) - begin));
    for (int64_t i = begin; i < end; i += act_q8::kGroup) {
      const int64_t left = cols - i;
      scale[i / act_q8::kGroup] = shared;
      quantize_group(x + i, left < act_q8::kGroup ? left : act_q8::kGroup, shared, q + i, sum + i / act_q8::kSumGroup);
    }
  }
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
