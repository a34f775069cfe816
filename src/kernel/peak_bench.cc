#include "kernel/peak_bench.h"

#include <benchmark/benchmark.h>
#include <immintrin.h>

#include <algorithm>
#include <chrono>

namespace tribar::kernel {
namespace {

constexpr int kChains = 12;  // more than latency times rate on every core known to us
constexpr int64_t kRounds = 20000;

__attribute__((target("avx512f,avx512bw,avx512vnni"))) void int8_avx512() {
  __m512i sum[kChains] = {};
  const __m512i a = _mm512_set1_epi8(3);
  for (int64_t i = 0; i < kRounds; ++i) {
    for (auto& s : sum) asm volatile("vpdpbusd %1, %1, %0" : "+v"(s) : "v"(a));
  }
}
__attribute__((target("avx512f"))) void fp32_avx512() {
  __m512 sum[kChains] = {};
  const __m512 a = _mm512_set1_ps(0.5f);
  for (int64_t i = 0; i < kRounds; ++i) {
    for (auto& s : sum) asm volatile("vfmadd231ps %1, %1, %0" : "+v"(s) : "v"(a));
  }
}
__attribute__((target("avx2"))) void int8_avx2() {
  __m256i sum[kChains] = {};
  const __m256i a = _mm256_set1_epi8(3);
  for (int64_t i = 0; i < kRounds; ++i) {
    for (auto& s : sum) {
      __m256i product;
      asm volatile("vpmaddubsw %2, %2, %1\n\tvpaddw %1, %0, %0" : "+x"(s), "=&x"(product) : "x"(a));
    }
  }
}
__attribute__((target("avx2,fma"))) void fp32_avx2() {
  __m256 sum[kChains] = {};
  const __m256 a = _mm256_set1_ps(0.5f);
  for (int64_t i = 0; i < kRounds; ++i) {
    for (auto& s : sum) asm volatile("vfmadd231ps %1, %1, %0" : "+x"(s) : "x"(a));
  }
}

double best_gops(void (*run)(), int multiply_adds) {
  double best = 1e9;
  for (int i = 0; i < 200; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return 2e-9 * static_cast<double>(kRounds) * kChains * multiply_adds / best;
}

}  // namespace

double int8_peak_gops(Isa isa) {
  if (isa == Isa::kAvx512) {
    static const double kGops = best_gops(int8_avx512, 64);
    return kGops;
  }
  static const double kGops = best_gops(int8_avx2, 32);
  return kGops;
}

double fp32_peak_gops(Isa isa) {
  if (isa == Isa::kAvx512) {
    static const double kGops = best_gops(fp32_avx512, 16);
    return kGops;
  }
  static const double kGops = best_gops(fp32_avx2, 8);
  return kGops;
}

}  // namespace tribar::kernel
