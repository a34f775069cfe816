// PeakLoop: the fastest loop of one kind of arithmetic, from registers, and the widest way to read memory. What an
// instruction-set folder hands to kernel/machine_peaks.cc; internal to kernel/.
//
// A loop runs enough independent chains to hide the latency of its instruction on every core known to us, in one block
// of assembly, so that no compiler and no level of optimisation changes what is measured.
// Threads: any number at once. An entry of a set that this machine lacks must not be called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tribar::kernel {

enum class Arithmetic : uint8_t { kInt8, kBf16, kFp32 };

struct PeakLoop {
  Arithmetic arithmetic;
  std::string_view name;         // "avx512_vnni": what the instruction belongs to
  std::string_view instruction;  // "vpdpbusd zmm"
  int64_t ops_per_round;         // two a multiply-add
  void (*run)(int64_t rounds);
};

// Reads `bytes` (a multiple of 1024) from `data`, 64-byte aligned, in order.
using ReadLoop = void (*)(const std::byte* data, size_t bytes);

#if defined(__x86_64__)
namespace avx2 {
extern const PeakLoop kInt8Peak;
extern const PeakLoop kInt8VnniPeak;  // of machines with AVX-VNNI
extern const PeakLoop kFp32Peak;
void read_memory(const std::byte* data, size_t bytes);
}  // namespace avx2

namespace avx512 {
extern const PeakLoop kInt8Peak;
extern const PeakLoop kBf16Peak;  // of machines with AVX512-BF16
extern const PeakLoop kFp32Peak;
void read_memory(const std::byte* data, size_t bytes);
}  // namespace avx512

// Only after request_amx_permission() (base/amx_permission.h).
namespace amx {
extern const PeakLoop kInt8Peak;
extern const PeakLoop kBf16Peak;
}  // namespace amx
#endif

}  // namespace tribar::kernel
