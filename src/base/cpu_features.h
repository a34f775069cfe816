// Which instructions this processor (and its operating system) lets us use, and the ISA level chosen from them.
//
//   TRIBAR_ASSIGN_OR_RETURN(Isa isa, detect_isa());   // the best level, or the one that TRIBAR_FORCE_ISA names
//
// A level is a folder of kernels: `reference` is plain scalar code, `generic` is portable code that the compiler
// vectorises, `avx2` and `avx512` use intrinsics, `amx` adds tiles to `avx512`. Levels are ordered; a machine that has
// one has all below it.
// Threads: any; read once, immutable.
// Errors: TRIBAR_FORCE_ISA with an unknown name, or a level this machine lacks, is kInvalidArgument and lists the
// possible ones.
// Source: Intel SDM vol. 1 chapter 14 and vol. 2 CPUID; a register state counts only when XCR0 says the OS saves it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace tribar {

struct CpuFeatures {
  bool avx2 = false;    // with FMA and F16C
  bool avx512 = false;  // F, BW, VL, DQ
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  bool avx512_vbmi = false;
  bool avx512_fp16 = false;
  bool avx_vnni = false;
  // The processor has tiles; a process still has to ask the kernel for the tile registers before first use.
  bool amx_tile = false;
  bool amx_int8 = false;
  bool amx_bf16 = false;
};

const CpuFeatures& cpu_features();

// The features in one line, for reports: "avx2 avx512 avx512_vnni".
std::string describe_cpu_features(const CpuFeatures& features);

// Kernel folders. kAvx2 needs avx2; kAvx512 needs avx2, avx512 and avx512_vnni; kAmx all that, amx_tile and amx_int8.
enum class Isa : uint8_t { kReference, kGeneric, kAvx2, kAvx512, kAmx };
inline constexpr std::array kAllIsas = {Isa::kReference, Isa::kGeneric, Isa::kAvx2, Isa::kAvx512,
                                        Isa::kAmx};  // ascending

// "reference", "generic", "avx2", "avx512", "amx".
std::string_view isa_name(Isa isa);
std::optional<Isa> isa_from_name(std::string_view name);

bool isa_supported(Isa isa, const CpuFeatures& features);
bool isa_supported(Isa isa);  // on this machine, with what its operating system grants

// `forced` is the value of TRIBAR_FORCE_ISA; nullopt and "" mean the best level that `features` allow.
Result<Isa> choose_isa(const CpuFeatures& features, std::optional<std::string_view> forced);

// choose_isa() for this machine and this environment.
Result<Isa> detect_isa();

}  // namespace tribar
