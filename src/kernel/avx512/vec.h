// The AVX-512 vector set V of the panel kernels (kernel/panel/*-inl.h): 16 rows, vpdpbusd.
//
// Include only in files compiled with the AVX-512 flags. Threads: pure functions.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace tribar::kernel::avx512 {

struct Avx512 {
  static constexpr int kRows = 16;
  static constexpr int kMaxTokens = 8;
  static constexpr int kPairTokens = 6;   // two panels: 12 integer and 12 float accumulators
  static constexpr int kFloatTokens = 8;  // two panels: 16 accumulators
  using F = __m512;
  using I = __m512i;

  static F zero() { return _mm512_setzero_ps(); }
  static F set1(float x) { return _mm512_set1_ps(x); }
  // p[0], p[1], p[0], ...
  static F set1_pair(const float* p) {
    double pair;
    std::memcpy(&pair, p, sizeof(pair));
    return _mm512_castpd_ps(_mm512_set1_pd(pair));
  }
  // x[0] + x[1], x[2] + x[3], ... in the first half; the second half repeats it.
  static F add_pairs(F x) {
    const I even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14);
    return _mm512_permutexvar_ps(even, _mm512_add_ps(x, _mm512_permute_ps(x, 0xb1)));
  }
  static F load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, F x) { _mm512_storeu_ps(p, x); }
  static __mmask16 first(int n) { return static_cast<__mmask16>((1u << n) - 1); }
  static F load_first(const float* p, int n) { return _mm512_maskz_loadu_ps(first(n), p); }
  static void store_first(float* p, F x, int n) { _mm512_mask_storeu_ps(p, first(n), x); }
  static F add(F a, F b) { return _mm512_add_ps(a, b); }
  static F mul(F a, F b) { return _mm512_mul_ps(a, b); }
  static F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
  static F sub(F a, F b) { return _mm512_sub_ps(a, b); }
  static F div(F a, F b) { return _mm512_div_ps(a, b); }
  static F min(F a, F b) { return _mm512_min_ps(a, b); }
  static F max(F a, F b) { return _mm512_max_ps(a, b); }
  static F abs(F a) { return _mm512_abs_ps(a); }
  static F copy_sign(F magnitude, F sign) {
    return _mm512_or_ps(magnitude, _mm512_and_ps(sign, _mm512_set1_ps(-0.0f)));
  }
  static F round(F a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
  static F times_power_of_two(F a, F n) { return _mm512_scalef_ps(a, n); }
  // a < b ? yes : no
  static F select_less(F a, F b, F yes, F no) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), no, yes);
  }
  static F negate(F a) { return _mm512_xor_ps(a, _mm512_set1_ps(-0.0f)); }

  static F to_float(I x) { return _mm512_cvtepi32_ps(x); }
  static F load_i32(const int32_t* p) { return to_float(_mm512_load_si512(p)); }
  static F load_f16(const uint16_t* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static F load_bf16(const uint16_t* p) {
    const I wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
  }
  static __m128i load16(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
  static F load_u8(const uint8_t* p) { return to_float(_mm512_cvtepu8_epi32(load16(p))); }
  static I load_u8_as_u16(const uint8_t* p) {
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  // Byte `i` of each pair.
  static F load_u8_of_pair(const uint8_t* p, int i) {
    const I pairs = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    return to_float(_mm512_and_si512(_mm512_srl_epi32(pairs, _mm_cvtsi32_si128(8 * i)), _mm512_set1_epi32(255)));
  }
  static F load_i8(const int8_t* p) { return to_float(_mm512_cvtepi8_epi32(load16(p))); }
  static F load_u4_low(const uint8_t* p) {
    return to_float(_mm512_and_si512(_mm512_cvtepu8_epi32(load16(p)), _mm512_set1_epi32(15)));
  }
  static F load_u4_high(const uint8_t* p) { return to_float(_mm512_srli_epi32(_mm512_cvtepu8_epi32(load16(p)), 4)); }

  // Bytes: 4 columns of each row.
  static I load_bytes(const uint8_t* p) { return _mm512_load_si512(p); }
  static void store_bytes(int8_t* p, I x) { _mm512_store_si512(p, x); }
  static I sub_bytes(I a, I b) { return _mm512_sub_epi8(a, b); }
  static I set1_byte(int x) { return _mm512_set1_epi8(static_cast<char>(x)); }
  static I bit_and(I a, I b) { return _mm512_and_si512(a, b); }
  // a | (b & mask)
  static I merge(I a, I b, I mask) { return _mm512_ternarylogic_epi32(a, b, mask, 0xf8); }
  template <int n>  // left by n, right by -n; bits cross byte borders, the caller masks
  static I shift(I x) {
    if constexpr (n > 0) return _mm512_slli_epi16(x, n);
    if constexpr (n < 0) return _mm512_srli_epi16(x, -n);
    return x;
  }
  static I load_table(const uint8_t* sixteen) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(sixteen)));
  }
  static I lookup(I table, I index) { return _mm512_shuffle_epi8(table, index); }
  static I add_bytes(I a, I b) { return _mm512_add_epi8(a, b); }
  // Byte `i` of every dword as a number.
  template <int i>
  static I byte_of(I x) {
    return _mm512_and_si512(_mm512_srli_epi32(x, 8 * i), _mm512_set1_epi32(255));
  }
  static I sub_i32(I a, I b) { return _mm512_sub_epi32(a, b); }
  static I set1_i32(int32_t x) { return _mm512_set1_epi32(x); }

  // sum + both products of two 16-bit numbers; exact.
  static I dot_pairs(I sum, I numbers, const int32_t& pair) {
    asm("vpdpwssd %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(numbers), "m"(pair));  // as in Dot::add
    return sum;
  }
  static I zero_i32() { return _mm512_setzero_si512(); }

  // Sum over columns of code * q, started at `bias`; exact.
  template <int max_code>
  struct Dot {
    static constexpr bool kAddsBias = true;
    I sum;
    void start() { sum = _mm512_setzero_si512(); }
    void start(int32_t bias) { sum = _mm512_set1_epi32(bias); }
    template <int step>
    void add(I codes, const int32_t& q) {
      // As assembly because g++ 12 does not fold the broadcast into the instruction, and the load port does it for
      // free.
      asm("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(codes), "m"(q));
    }
    template <int step>
    void add(I codes, I q) {
      sum = _mm512_dpbusd_epi32(sum, codes, q);
    }
    F value() const { return to_float(sum); }
  };

  // dst[s][n] = src[n][s]: 8 dwords of 8 tokens.
  static constexpr int kTransposedTokens = 8;
  static void transpose(const int32_t* const (&src)[8], int32_t (*dst)[8]);
};

inline void Avx512::transpose(const int32_t* const (&src)[8], int32_t (*dst)[8]) {
  // Four loads that pair token n with token n + 4, then two rounds of unpacking within 128-bit lanes and one across.
  __m512i pair[4];
  for (int n = 0; n < 4; ++n) {
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src[n]));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src[n + 4]));
    pair[n] = _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);  // lanes: a0-3 a4-7 b0-3 b4-7
  }
  const __m512i t0 = _mm512_unpacklo_epi32(pair[0], pair[1]);
  const __m512i t1 = _mm512_unpackhi_epi32(pair[0], pair[1]);
  const __m512i t2 = _mm512_unpacklo_epi32(pair[2], pair[3]);
  const __m512i t3 = _mm512_unpackhi_epi32(pair[2], pair[3]);
  // u[s]: lanes (step s of tokens 0-3, step s + 4 of tokens 0-3, step s of tokens 4-7, step s + 4 of tokens 4-7).
  const __m512i u[4] = {_mm512_unpacklo_epi64(t0, t2), _mm512_unpackhi_epi64(t0, t2), _mm512_unpacklo_epi64(t1, t3),
                        _mm512_unpackhi_epi64(t1, t3)};
  for (int s = 0; s < 4; ++s) {
    const __m512i ordered = _mm512_shuffle_i64x2(u[s], u[s], 0xd8);  // lanes 0 2 1 3
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst[s]), _mm512_castsi512_si256(ordered));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst[s + 4]), _mm512_extracti64x4_epi64(ordered, 1));
  }
}

}  // namespace tribar::kernel::avx512
