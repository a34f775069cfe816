#include "kernel/avx512/quantize.h"

#include <immintrin.h>

#include <algorithm>

#include "tensor/act_q8.h"

namespace tribar::kernel::avx512 {
namespace {

constexpr int kLanes = 16;
static_assert(act_q8::kGroup == 2 * kLanes && act_q8::kSumGroup == kLanes);

__m512 load_up_to(const float* x, int64_t n) {
  const auto mask = static_cast<__mmask16>(n >= kLanes ? 0xffffu : n <= 0 ? 0u : (1u << n) - 1);
  return _mm512_maskz_loadu_ps(mask, x);
}

// Magnitudes order like their bits, and NaN above infinity above all numbers.
int peak_bits(const float* x, int64_t n) {
  __m512i peaks = _mm512_setzero_si512();
  for (int64_t i = 0; i < n; i += kLanes) {
    const __m512i magnitude =
        _mm512_and_si512(_mm512_castps_si512(load_up_to(x + i, n - i)), _mm512_set1_epi32(0x7fffffff));
    peaks = _mm512_max_epi32(peaks, magnitude);
  }
  return _mm512_reduce_max_epi32(peaks);
}

float scale_of(int peak_bits) {
  constexpr int kInfinityBits = 0x7f800000;
  constexpr int kQuietNan = 0x7fc00000;
  const float peak = _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(peak_bits)));
  if (peak_bits >= kInfinityBits) return _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(kQuietNan)));
  return peak < act_q8::kSmallestPeak ? 0.0f : peak / 127.0f;
}

// The 32 values that start at x, of which n exist.
void quantize_group(const float* x, int64_t n, float scale, int8_t* q, int16_t* sums) {
  const bool zero = !(scale > 0.0f);
  for (int v = 0; v < 2; ++v) {
    const __m512 values = load_up_to(x + v * kLanes, n - v * kLanes);
    const __m512i levels =
        zero ? _mm512_setzero_si512() : _mm512_cvtps_epi32(_mm512_div_ps(values, _mm512_set1_ps(scale)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(q + v * kLanes), _mm512_cvtepi32_epi8(levels));
    sums[v] = static_cast<int16_t>(_mm512_reduce_add_epi32(levels));
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
    const int64_t end = std::min(begin + args.group, padded);
    const float* x = args.x.f32(g / groups);
    auto* row = args.y.row<std::byte>(g / groups);
    auto* q = reinterpret_cast<int8_t*>(row);
    auto* scale = reinterpret_cast<float*>(row + act_q8::scale_offset_bytes(cols));
    auto* sum = reinterpret_cast<int16_t*>(row + act_q8::sum_offset_bytes(cols));
    const float shared = scale_of(peak_bits(x + begin, std::min(end, cols) - begin));
    for (int64_t i = begin; i < end; i += act_q8::kGroup) {
      scale[i / act_q8::kGroup] = shared;
      quantize_group(x + i, cols - i, shared, q + i, sum + i / act_q8::kSumGroup);
    }
  }
}

}  // namespace tribar::kernel::avx512
