#include "kernel/generic/blocks-inl.h"
#include "kernel/generic/generic.h"
#include "kernel/generic/math-inl.h"
#include "tensor/act_q8.h"

namespace tribar::kernel::TRIBAR_GENERIC {
namespace {

constexpr int64_t kVectors = act_q8::kGroup / kLanes;

// The largest |x| of a group as its bits: magnitudes order like integers, and NaN above infinity above all numbers.
int32_t peak_bits(const F32 (&x)[kVectors]) {
  I32 peak{};
  for (const F32& v : x) peak = max(peak, bits_of(abs(v)));
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

// Quantises the group that starts at x, of which n <= 32 values exist.
void quantize_group(const float* x, int64_t n, int8_t* q, float* scale, int16_t* sums) {
  F32 values[kVectors];
  for (int64_t v = 0; v < kVectors; ++v) {
    const int64_t left = n - v * kLanes;
    values[v] = left >= kLanes ? load(x + v * kLanes) : load_partial(x + v * kLanes, left);
  }
  *scale = scale_of(peak_bits(values));
  int32_t levels[act_q8::kGroup] = {};
  if (*scale > 0.0f) {
    for (int64_t v = 0; v < kVectors; ++v) {
      const F32 shifted = values[v] / *scale + kRoundingMagic;
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
  // Padding is part of the last block of a row.
  for_each_block(args.x.rows, act_q8::padded_cols(cols), shard, [&](int64_t t, int64_t begin, int64_t end) {
    const float* x = args.x.f32(t);
    auto* row = args.y.row<std::byte>(t);
    auto* q = reinterpret_cast<int8_t*>(row);
    auto* scale = reinterpret_cast<float*>(row + act_q8::scale_offset_bytes(cols));
    auto* sum = reinterpret_cast<int16_t*>(row + act_q8::sum_offset_bytes(cols));
    for (int64_t i = begin; i < end; i += act_q8::kGroup) {
      const int64_t left = cols - i;
      quantize_group(x + i, left < act_q8::kGroup ? left : act_q8::kGroup, q + i, scale + i / act_q8::kGroup,
                     sum + i / act_q8::kSumGroup);
    }
  });
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
