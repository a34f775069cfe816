#include "kernel/avx512/quantize.h"

#include <immintrin.h>

#include "tensor/act_q8.h"

namespace tribar::kernel::avx512 {
namespace {

constexpr int kLanes = 16;
static_assert(act_q8::kGroup == 2 * kLanes && act_q8::kSumGroup == kLanes);

__m512 load_up_to(const float* x, int64_t n) {
  const auto mask = static_cast<__mmask16>(n >= kLanes ? 0xffffu : n <= 0 ? 0u : (1u << n) - 1);
  return _mm512_maskz_loadu_ps(mask, x);
}

// The group that starts at x, of which n <= 32 values exist: what generic/quantize.cc does, two vectors at once.
void quantize_group(const float* x, int64_t n, int8_t* q, float* scale, int16_t* sums) {
  const __m512 values[2] = {load_up_to(x, n), load_up_to(x + kLanes, n - kLanes)};
  // Magnitudes order like their bits, and NaN above infinity above all numbers.
  const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
  const __m512i peaks = _mm512_max_epi32(_mm512_and_si512(_mm512_castps_si512(values[0]), magnitude),
                                         _mm512_and_si512(_mm512_castps_si512(values[1]), magnitude));
  const int peak_bits = _mm512_reduce_max_epi32(peaks);
  constexpr int kInfinityBits = 0x7f800000;
  constexpr int kQuietNan = 0x7fc00000;
  const float peak = _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(peak_bits)));
  const bool finite = peak_bits < kInfinityBits;
  *scale = !finite                        ? _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(kQuietNan)))
           : peak < act_q8::kSmallestPeak ? 0.0f
                                          : peak / 127.0f;
  const bool zero = !(*scale > 0.0f);
  for (int v = 0; v < 2; ++v) {
    const __m512i levels =
        zero ? _mm512_setzero_si512() : _mm512_cvtps_epi32(_mm512_div_ps(values[v], _mm512_set1_ps(*scale)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(q + v * kLanes), _mm512_cvtepi32_epi8(levels));
    sums[v] = static_cast<int16_t>(_mm512_reduce_add_epi32(levels));
  }
}

}  // namespace

void quantize(const QuantizeArgs& args, Shard shard) {
  const int64_t cols = args.x.cols;
  const int64_t groups = act_q8::padded_cols(cols) / act_q8::kGroup;  // padding is part of the last ones
  const auto [begin, end] = shard.range(args.x.rows * groups);
  for (int64_t i = begin; i < end; ++i) {
    const int64_t t = i / groups;
    const int64_t g = i % groups;
    auto* row = args.y.row<std::byte>(t);
    quantize_group(args.x.f32(t) + g * act_q8::kGroup, cols - g * act_q8::kGroup,
                   reinterpret_cast<int8_t*>(row) + g * act_q8::kGroup,
                   reinterpret_cast<float*>(row + act_q8::scale_offset_bytes(cols)) + g,
                   reinterpret_cast<int16_t*>(row + act_q8::sum_offset_bytes(cols)) + 2 * g);
  }
}

}  // namespace tribar::kernel::avx512
