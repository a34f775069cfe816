#include "kernel/peak_loops.h"

#include <immintrin.h>

namespace tribar::kernel::avx2 {
namespace {

#define TRIBAR_EACH_CHAIN(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define TRIBAR_CHAIN_REGISTERS \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11"
constexpr int64_t kChains = 12;

// Exact for codes of four bits, which is what the AVX2 kernels feed it with.
void int8(int64_t rounds) {
  const __m256i a = _mm256_set1_epi8(3);
  for (int64_t i = 0; i < rounds; ++i) {
#define TRIBAR_CHAIN(n)            \
  "vpmaddubsw %0, %0, %%ymm13\n\t" \
  "vpaddw %%ymm13, %%ymm" #n ", %%ymm" #n "\n\t"
    asm volatile(TRIBAR_EACH_CHAIN(TRIBAR_CHAIN) : : "x"(a) : "xmm13", TRIBAR_CHAIN_REGISTERS);
#undef TRIBAR_CHAIN
  }
}

void int8_vnni(int64_t rounds) {
  const __m256i a = _mm256_set1_epi8(3);
  for (int64_t i = 0; i < rounds; ++i) {
#define TRIBAR_CHAIN(n) "%{vex%} vpdpbusd %0, %0, %%ymm" #n "\n\t"
    asm volatile(TRIBAR_EACH_CHAIN(TRIBAR_CHAIN) : : "x"(a) : TRIBAR_CHAIN_REGISTERS);
#undef TRIBAR_CHAIN
  }
}

void fp32(int64_t rounds) {
  const __m256 a = _mm256_set1_ps(0.5f);
#define TRIBAR_CHAIN(n) "vxorps %%ymm" #n ", %%ymm" #n ", %%ymm" #n "\n\t"
  asm volatile(TRIBAR_EACH_CHAIN(TRIBAR_CHAIN) : : : TRIBAR_CHAIN_REGISTERS);
#undef TRIBAR_CHAIN
  for (int64_t i = 0; i < rounds; ++i) {
#define TRIBAR_CHAIN(n) "vfmadd231ps %0, %0, %%ymm" #n "\n\t"
    asm volatile(TRIBAR_EACH_CHAIN(TRIBAR_CHAIN) : : "x"(a) : TRIBAR_CHAIN_REGISTERS);
#undef TRIBAR_CHAIN
  }
}

}  // namespace

const PeakLoop kInt8Peak{Arithmetic::kInt8, "avx2", "vpmaddubsw + vpaddw ymm", 2 * 32 * kChains, int8};
const PeakLoop kInt8VnniPeak{Arithmetic::kInt8, "avx_vnni", "vpdpbusd ymm", 2 * 32 * kChains, int8_vnni};
const PeakLoop kFp32Peak{Arithmetic::kFp32, "avx2", "vfmadd231ps ymm", 2 * 8 * kChains, fp32};

void read_memory(const std::byte* data, size_t bytes) {
  for (const std::byte* const end = data + bytes; data < end; data += 256) {
    asm volatile(
        "vmovdqa 0(%0), %%ymm0\n\t"
        "vmovdqa 32(%0), %%ymm1\n\t"
        "vmovdqa 64(%0), %%ymm2\n\t"
        "vmovdqa 96(%0), %%ymm3\n\t"
        "vmovdqa 128(%0), %%ymm4\n\t"
        "vmovdqa 160(%0), %%ymm5\n\t"
        "vmovdqa 192(%0), %%ymm6\n\t"
        "vmovdqa 224(%0), %%ymm7\n\t"
        :
        : "r"(data)
        : TRIBAR_CHAIN_REGISTERS, "memory");
  }
}

}  // namespace tribar::kernel::avx2
