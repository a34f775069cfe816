// What one core can do at most: multiply-adds from registers, in GOP/s (two operations each), measured once a process.
//
//   state.counters["peak%"] = 100 * gops / int8_peak_gops(Isa::kAvx512);
//
// int8 is vpdpbusd where the set has it (AVX-512) and vpmaddubsw + vpaddw (AVX2), the fastest form that is exact for
// codes of four bits. Only for benchmarks. Threads: not thread-safe.
#pragma once

#include "base/cpu_features.h"

namespace tribar::kernel {

double int8_peak_gops(Isa isa);
double fp32_peak_gops(Isa isa);

}  // namespace tribar::kernel
