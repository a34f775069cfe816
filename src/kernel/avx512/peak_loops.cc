#include "kernel/peak_loops.h"

#include <immintrin.h>

namespace tribar::kernel::avx512 {
namespace {

#define TRIBAR_EACH_CHAIN(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define TRIBAR_CHAIN_REGISTERS \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11"
constexpr int64_t kChains = 12;

#define TRIBAR_CHAIN_ZERO(n) "vpxord %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
#define TRIBAR_CHAIN_INT8(n) "vpdpbusd %0, %0, %%zmm" #n "\n\t"
#define TRIBAR_CHAIN_BF16(n) "vdpbf16ps %0, %0, %%zmm" #n "\n\t"
#define TRIBAR_CHAIN_FP32(n) "vfmadd231ps %0, %0, %%zmm" #n "\n\t"

void int8(int64_t rounds) {
  const __m512i a = _mm512_set1_epi8(3);
  for (int64_t i = 0; i < rounds; ++i) {
    asm volatile(TRIBAR_EACH_CHAIN(TRIBAR_CHAIN_INT8) : : "v"(a) : TRIBAR_CHAIN_REGISTERS);
  }
}

void bf16(int64_t rounds) {
  const __m512i a = _mm512_set1_epi16(0x3f00);  // 0.5
  asm volatile(TRIBAR_EACH_CHAIN(TRIBAR_CHAIN_ZERO) : : : TRIBAR_CHAIN_REGISTERS);
  for (int64_t i = 0; i < rounds; ++i) {
    asm volatile(TRIBAR_EACH_CHAIN(TRIBAR_CHAIN_BF16) : : "v"(a) : TRIBAR_CHAIN_REGISTERS);
  }
}

void fp32(int64_t rounds) {
  const __m512 a = _mm512_set1_ps(0.5f);
  asm volatile(TRIBAR_EACH_CHAIN(TRIBAR_CHAIN_ZERO) : : : TRIBAR_CHAIN_REGISTERS);
  for (int64_t i = 0; i < rounds; ++i) {
    asm volatile(TRIBAR_EACH_CHAIN(TRIBAR_CHAIN_FP32) : : "v"(a) : TRIBAR_CHAIN_REGISTERS);
  }
}

}  // namespace

const PeakLoop kInt8Peak{Arithmetic::kInt8, "avx512_vnni", "vpdpbusd zmm", 2 * 64 * kChains, int8};
const PeakLoop kBf16Peak{Arithmetic::kBf16, "avx512_bf16", "vdpbf16ps zmm", 2 * 32 * kChains, bf16};
const PeakLoop kFp32Peak{Arithmetic::kFp32, "avx512", "vfmadd231ps zmm", 2 * 16 * kChains, fp32};

void read_memory(const std::byte* data, size_t bytes) {
  for (const std::byte* const end = data + bytes; data < end; data += 512) {
    asm volatile(
        "vmovdqa64 0(%0), %%zmm0\n\t"
        "vmovdqa64 64(%0), %%zmm1\n\t"
        "vmovdqa64 128(%0), %%zmm2\n\t"
        "vmovdqa64 192(%0), %%zmm3\n\t"
        "vmovdqa64 256(%0), %%zmm4\n\t"
        "vmovdqa64 320(%0), %%zmm5\n\t"
        "vmovdqa64 384(%0), %%zmm6\n\t"
        "vmovdqa64 448(%0), %%zmm7\n\t"
        :
        : "r"(data)
        : TRIBAR_CHAIN_REGISTERS, "memory");
  }
}

}  // namespace tribar::kernel::avx512
