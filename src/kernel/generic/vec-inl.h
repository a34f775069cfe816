// A vector of floats or ints as wide as the instruction set this file is compiled for: 4, 8 or 16 lanes.
//
//   F32 sum = broadcast(0.0f);
//   for (int64_t i = 0; i < n; i += kLanes) sum = mul_add(load(x + i), load(y + i), sum);
//
// Written with the vector extension of GCC and clang (+ - * / < & work on lanes), so any machine can compile it;
// intrinsics appear only where the extension has no word for an instruction. Everything lives in the namespace of
// its kernel set: the linker must never take a wide version of a shared inline function for the baseline code.
// mul_add is fused where the set has FMA: bits differ between sets, never within one.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tribar::kernel::TRIBAR_GENERIC {

#if defined(__AVX512F__)
inline constexpr int64_t kLanes = 16;
#elif defined(__AVX2__)
inline constexpr int64_t kLanes = 8;
#else
inline constexpr int64_t kLanes = 4;
#endif

#define TRIBAR_INLINE [[gnu::always_inline]] inline

using F32 = float __attribute__((vector_size(kLanes * 4)));
using I32 = int32_t __attribute__((vector_size(kLanes * 4)));
using U32 = uint32_t __attribute__((vector_size(kLanes * 4)));

TRIBAR_INLINE F32 load(const float* p) {
  F32 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
TRIBAR_INLINE I32 load(const int32_t* p) {
  I32 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
TRIBAR_INLINE void store(float* p, F32 v) { std::memcpy(p, &v, sizeof v); }
TRIBAR_INLINE void store(int32_t* p, I32 v) { std::memcpy(p, &v, sizeof v); }

// The first n < kLanes values; the other lanes are zero (load) or left alone (store).
TRIBAR_INLINE F32 load_partial(const float* p, int64_t n) {
  F32 v{};
  for (int64_t i = 0; i < kLanes; ++i) v[i] = i < n ? p[i] : 0.0f;
  return v;
}
TRIBAR_INLINE void store_partial(float* p, F32 v, int64_t n) {
  for (int64_t i = 0; i < n; ++i) p[i] = v[i];
}

// x - 0 is x for every x (0 + x is not: it loses the sign of -0), so compilers drop the subtraction.
TRIBAR_INLINE F32 broadcast(float x) { return x - F32{}; }
TRIBAR_INLINE I32 broadcast(int32_t x) { return I32{} + x; }
TRIBAR_INLINE F32 to_float(I32 v) { return __builtin_convertvector(v, F32); }
// kLanes signed bytes. (__builtin_convertvector does this a byte at a time in GCC 12.)
TRIBAR_INLINE I32 load_bytes(const int8_t* p) {
#if defined(__AVX512F__)
  __m128i bytes;
  std::memcpy(&bytes, p, sizeof bytes);
  return reinterpret_cast<I32>(_mm512_maskz_cvtepi8_epi32(0xffff, bytes));
#elif defined(__AVX2__)
  int64_t bytes;
  std::memcpy(&bytes, p, sizeof bytes);
  return reinterpret_cast<I32>(_mm256_cvtepi8_epi32(_mm_cvtsi64_si128(bytes)));
#elif defined(__SSE2__)
  int32_t bytes;
  std::memcpy(&bytes, p, sizeof bytes);
  const __m128i twice = _mm_unpacklo_epi8(_mm_cvtsi32_si128(bytes), _mm_cvtsi32_si128(bytes));
  return reinterpret_cast<I32>(_mm_srai_epi32(_mm_unpacklo_epi16(twice, twice), 24));
#else
  I32 v;
  for (int64_t i = 0; i < kLanes; ++i) v[i] = p[i];
  return v;
#endif
}
TRIBAR_INLINE I32 bits_of(F32 v) { return reinterpret_cast<I32>(v); }
TRIBAR_INLINE F32 from_bits(I32 v) { return reinterpret_cast<F32>(v); }

// mask lanes are all ones or all zeros, as comparisons give them.
TRIBAR_INLINE F32 select(I32 mask, F32 yes, F32 no) { return from_bits((bits_of(yes) & mask) | (bits_of(no) & ~mask)); }
TRIBAR_INLINE I32 select(I32 mask, I32 yes, I32 no) { return (yes & mask) | (no & ~mask); }
// The second operand where either is a NaN, as maxps does.
TRIBAR_INLINE F32 max(F32 a, F32 b) { return a > b ? a : b; }
TRIBAR_INLINE F32 min(F32 a, F32 b) { return a < b ? a : b; }
TRIBAR_INLINE I32 max(I32 a, I32 b) { return a > b ? a : b; }
TRIBAR_INLINE F32 abs(F32 v) { return from_bits(bits_of(v) & 0x7fffffff); }

// a * b + c.
TRIBAR_INLINE F32 mul_add(F32 a, F32 b, F32 c) {
#if defined(__AVX512F__)
  return reinterpret_cast<F32>(
      _mm512_fmadd_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(c)));
#elif defined(__FMA__)
  return reinterpret_cast<F32>(
      _mm256_fmadd_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
#else
  return a * b + c;
#endif
}

// acc + a.lo * b.lo + a.hi * b.hi, every 32-bit lane holding two 16-bit integers.
TRIBAR_INLINE I32 dot_pairs(I32 a, I32 b, I32 acc) {
#if defined(__AVX512VNNI__)
  return reinterpret_cast<I32>(
      _mm512_dpwssd_epi32(reinterpret_cast<__m512i>(acc), reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return acc + reinterpret_cast<I32>(_mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return acc + reinterpret_cast<I32>(_mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return acc + ((a << 16) >> 16) * ((b << 16) >> 16) + (a >> 16) * (b >> 16);
#endif
}

// Lanes are added in halves: 0 + n/2, 1 + n/2 + 1, ... One order, whoever calls.
TRIBAR_INLINE float sum_lanes(F32 v) {
  float lanes[kLanes];
  store(lanes, v);
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}
TRIBAR_INLINE float max_lanes(F32 v) {
  float best = v[0];
  for (int64_t i = 1; i < kLanes; ++i) best = v[i] > best ? v[i] : best;
  return best;
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
