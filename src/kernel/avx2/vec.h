// The AVX2 vector set V of the panel kernels (kernel/panel/*-inl.h): 8 rows, vpmaddubsw.
//
// Include only in files compiled with the AVX2 flags. Threads: pure functions.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace tribar::kernel::avx2 {

// vpmaddubsw adds two products into 16 bits with saturation. It is used only where no sum can saturate, so results
// are exact.
template <int max_code>
struct MaddubsDot {
  // Codes above 6 bits: two products may reach 2 * 255 * 127, so the sign is moved to the activation, |w| <= 128.
  static constexpr bool kSigned = max_code > 63;
  static constexpr bool kAddsBias = !kSigned;
  // Steps whose pair sums of at most 2 * max_code * 127 fit into 16 bits together.
  static constexpr int kSafeSteps = kSigned ? 1 : 32767 / (2 * max_code * 127);

  __m256i sum;
  __m256i pairs;

  void start() {
    sum = _mm256_setzero_si256();
    pairs = _mm256_setzero_si256();
  }
  void start(int32_t bias) {
    sum = _mm256_set1_epi32(bias);
    pairs = _mm256_setzero_si256();
  }
  template <int step>
  void add(__m256i codes, const int32_t& q) {
    const __m256i x = _mm256_set1_epi32(q);
    if constexpr (step > 0 && step % kSafeSteps == 0) {
      sum = total();
      pairs = _mm256_setzero_si256();
    }
    if constexpr (kSigned) {
      const __m256i w = _mm256_xor_si256(codes, _mm256_set1_epi8(static_cast<char>(0x80)));
      pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w));
    } else {
      pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(codes, x));
    }
  }
  __m256i total() const { return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))); }
  __m256 value() const { return _mm256_cvtepi32_ps(total()); }
};

struct Avx2 {
  static constexpr int kRows = 8;
  static constexpr int kMaxTokens = 4;    // 12 of 16 registers are accumulators
  static constexpr int kPairTokens = 0;   // too few registers for two panels
  static constexpr int kFloatTokens = 4;  // two panels: 8 accumulators
  using F = __m256;
  using I = __m256i;

  static F zero() { return _mm256_setzero_ps(); }
  static F set1(float x) { return _mm256_set1_ps(x); }
  // p[0], p[1], p[0], ...
  static F set1_pair(const float* p) {
    double pair;
    std::memcpy(&pair, p, sizeof(pair));
    return _mm256_castpd_ps(_mm256_set1_pd(pair));
  }
  // x[0] + x[1], x[2] + x[3], ... in the first half; the second half repeats it.
  static F add_pairs(F x) {
    const I even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    return _mm256_permutevar8x32_ps(_mm256_add_ps(x, _mm256_permute_ps(x, 0xb1)), even);
  }
  static F load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, F x) { _mm256_storeu_ps(p, x); }
  static I first(int n) { return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)); }
  static F load_first(const float* p, int n) { return _mm256_maskload_ps(p, first(n)); }
  static void store_first(float* p, F x, int n) { _mm256_maskstore_ps(p, first(n), x); }
  static F add(F a, F b) { return _mm256_add_ps(a, b); }
  static F mul(F a, F b) { return _mm256_mul_ps(a, b); }
  static F fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
  static F sub(F a, F b) { return _mm256_sub_ps(a, b); }
  static F div(F a, F b) { return _mm256_div_ps(a, b); }
  static F min(F a, F b) { return _mm256_min_ps(a, b); }
  static F max(F a, F b) { return _mm256_max_ps(a, b); }
  static F abs(F a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
  static F copy_sign(F magnitude, F sign) {
    return _mm256_or_ps(magnitude, _mm256_and_ps(sign, _mm256_set1_ps(-0.0f)));
  }
  static F round(F a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
  // In two factors, because 2^n alone may be out of range where the product is not.
  static F times_power_of_two(F a, F n) {
    const I exponent = _mm256_cvtps_epi32(n);
    const I half = _mm256_srai_epi32(exponent, 1);
    return mul(mul(a, power_of_two(half)), power_of_two(_mm256_sub_epi32(exponent, half)));
  }
  static F power_of_two(I n) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(n, _mm256_set1_epi32(127)), 23));
  }
  // a < b ? yes : no
  static F select_less(F a, F b, F yes, F no) { return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ)); }
  static F negate(F a) { return _mm256_xor_ps(a, _mm256_set1_ps(-0.0f)); }

  static F to_float(I x) { return _mm256_cvtepi32_ps(x); }
  static __m128i load16(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
  static __m128i load8(const void* p) { return _mm_loadl_epi64(static_cast<const __m128i*>(p)); }
  static F load_f16(const uint16_t* p) { return _mm256_cvtph_ps(load16(p)); }
  static F load_bf16(const uint16_t* p) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(load16(p)), 16));
  }
  static F load_u8(const uint8_t* p) { return to_float(_mm256_cvtepu8_epi32(load8(p))); }
  static I load_u8_as_u16(const uint8_t* p) { return _mm256_cvtepu8_epi16(load16(p)); }
  // Byte `i` of each pair.
  static F load_u8_of_pair(const uint8_t* p, int i) {
    const I pairs = _mm256_cvtepu16_epi32(load16(p));
    return to_float(_mm256_and_si256(_mm256_srl_epi32(pairs, _mm_cvtsi32_si128(8 * i)), _mm256_set1_epi32(255)));
  }
  static F load_i8(const int8_t* p) { return to_float(_mm256_cvtepi8_epi32(load8(p))); }
  static F load_u4_low(const uint8_t* p) {
    return to_float(_mm256_and_si256(_mm256_cvtepu8_epi32(load8(p)), _mm256_set1_epi32(15)));
  }
  static F load_u4_high(const uint8_t* p) { return to_float(_mm256_srli_epi32(_mm256_cvtepu8_epi32(load8(p)), 4)); }

  // Bytes: 4 columns of each row.
  static I load_bytes(const uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const I*>(p)); }
  static I set1_byte(int x) { return _mm256_set1_epi8(static_cast<char>(x)); }
  static I bit_and(I a, I b) { return _mm256_and_si256(a, b); }
  // a | (b & mask)
  static I merge(I a, I b, I mask) { return _mm256_or_si256(a, _mm256_and_si256(b, mask)); }
  template <int n>  // left by n, right by -n; bits cross byte borders, the caller masks
  static I shift(I x) {
    if constexpr (n > 0) return _mm256_slli_epi16(x, n);
    if constexpr (n < 0) return _mm256_srli_epi16(x, -n);
    return x;
  }
  static I load_table(const uint8_t* sixteen) { return _mm256_broadcastsi128_si256(load16(sixteen)); }
  static I lookup(I table, I index) { return _mm256_shuffle_epi8(table, index); }
  // Byte `i` of every dword as a number.
  template <int i>
  static I byte_of(I x) {
    return _mm256_and_si256(_mm256_srli_epi32(x, 8 * i), _mm256_set1_epi32(255));
  }
  static I sub_i32(I a, I b) { return _mm256_sub_epi32(a, b); }
  static I set1_i32(int32_t x) { return _mm256_set1_epi32(x); }

  // sum + both products of two 16-bit numbers; exact.
  static I dot_pairs(I sum, I numbers, const int32_t& pair) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(numbers, _mm256_set1_epi32(pair)));
  }
  static I zero_i32() { return _mm256_setzero_si256(); }

  // Sum over columns of code * q, started at `bias`; exact.
  template <int max_code>
  using Dot = MaddubsDot<max_code>;

  static constexpr int kTransposedTokens = 4;
  // dst[s][n] = src[n][s]: 8 dwords of 4 tokens.
  static void transpose(const int32_t* const (&src)[4], int32_t (*dst)[4]) {
    for (int s = 0; s < 8; s += 4) {
      const __m128i a = load16(src[0] + s), b = load16(src[1] + s), c = load16(src[2] + s), d = load16(src[3] + s);
      const __m128i ab_low = _mm_unpacklo_epi32(a, b), ab_high = _mm_unpackhi_epi32(a, b);
      const __m128i cd_low = _mm_unpacklo_epi32(c, d), cd_high = _mm_unpackhi_epi32(c, d);
      auto* out = reinterpret_cast<__m128i*>(dst[s]);
      _mm_storeu_si128(out, _mm_unpacklo_epi64(ab_low, cd_low));
      _mm_storeu_si128(out + 1, _mm_unpackhi_epi64(ab_low, cd_low));
      _mm_storeu_si128(out + 2, _mm_unpacklo_epi64(ab_high, cd_high));
      _mm_storeu_si128(out + 3, _mm_unpackhi_epi64(ab_high, cd_high));
    }
  }
};

}  // namespace tribar::kernel::avx2
