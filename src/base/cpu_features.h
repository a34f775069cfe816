// What this CPU can do, and which instruction set the kernels use.
//
//   const CpuFeatures& f = cpu_features();
//   TRIBAR_ASSIGN_OR_RETURN(Isa isa, detect_isa());   // best one, or what TRIBAR_FORCE_ISA names
//
// Errors: TRIBAR_FORCE_ISA with an unknown name, or one that this CPU lacks, is kInvalidArgument and lists the possible ones.
// Threads: read once, immutable.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace tribar {

struct CpuFeatures {
  bool avx2 = false;  // with FMA and F16C
  bool avx512 = false;  // F, BW, VL, DQ
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  bool avx512_vbmi = false;
  bool avx512_fp16 = false;
  bool avx_vnni = false;
  bool amx_tile = false;
  bool amx_int8 = false;
  bool amx_bf16 = false;
};
const CpuFeatures& cpu_features();

// Kernel folders. kAvx512 needs F, BW, VL, DQ and VNNI; kAvx2 needs FMA and F16C.
enum class Isa : uint8_t { kReference, kGeneric, kAvx2, kAvx512 };
std::string_view isa_name(Isa isa);
bool isa_supported(Isa isa);
Result<Isa> detect_isa();

}  // namespace tribar
