// Half and bfloat16 numbers to floats, with the instruction where the set has one. Exact, so the same bits everywhere.
#pragma once

#include "kernel/generic/vec-inl.h"
#include "tensor/half.h"

namespace tribar::kernel::TRIBAR_GENERIC {

TRIBAR_INLINE float half_value(uint16_t bits) {
#if defined(__F16C__)
  return _cvtsh_ss(bits);
#else
  return f16_to_f32(bits);
#endif
}

TRIBAR_INLINE float half_value(const PackedF16& packed) {
  uint16_t bits;
  std::memcpy(&bits, &packed, sizeof bits);
  return half_value(bits);
}

#if defined(__AVX512F__)
// The unmasked intrinsics make GCC 12 warn of an uninitialised pass-through operand (GCC bug 105593).
inline constexpr __mmask16 kAllLanes = 0xffff;
#endif

// dst[i] = the half at src[i]; src at any address.
TRIBAR_INLINE void halves_to_floats(const void* src, float* dst, int64_t n) {
  const auto* bytes = static_cast<const std::byte*>(src);
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16) {
    __m256i halves;
    std::memcpy(&halves, bytes + 2 * i, sizeof halves);
    _mm512_storeu_ps(dst + i, _mm512_maskz_cvtph_ps(kAllLanes, halves));
  }
#elif defined(__F16C__)
  for (; i + 8 <= n; i += 8) {
    __m128i halves;
    std::memcpy(&halves, bytes + 2 * i, sizeof halves);
    _mm256_storeu_ps(dst + i, _mm256_cvtph_ps(halves));
  }
#endif
  for (; i < n; ++i) {
    uint16_t bits;
    std::memcpy(&bits, bytes + 2 * i, sizeof bits);
    dst[i] = half_value(bits);
  }
}

TRIBAR_INLINE void floats_to_halves(const float* src, uint16_t* dst, int64_t n) {
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16) {
    const __m256i halves = _mm512_maskz_cvtps_ph(kAllLanes, _mm512_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT);
    std::memcpy(dst + i, &halves, sizeof halves);
  }
#elif defined(__F16C__)
  for (; i + 8 <= n; i += 8) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT);
    std::memcpy(dst + i, &halves, sizeof halves);
  }
#endif
  for (; i < n; ++i) {
#if defined(__F16C__)
    dst[i] = _cvtss_sh(src[i], _MM_FROUND_TO_NEAREST_INT);
#else
    dst[i] = f32_to_f16(src[i]);
#endif
  }
}

TRIBAR_INLINE void bfloats_to_floats(const void* src, float* dst, int64_t n) {
  const auto* bytes = static_cast<const std::byte*>(src);
  for (int64_t i = 0; i < n; ++i) {
    uint16_t bits;
    std::memcpy(&bits, bytes + 2 * i, sizeof bits);
    const uint32_t wide = static_cast<uint32_t>(bits) << 16;
    std::memcpy(dst + i, &wide, sizeof wide);
  }
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
