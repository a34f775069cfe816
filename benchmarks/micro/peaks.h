// What one core can do at most, measured once a process when first asked for; 0 where that is not known.
//
//   state.counters["peak%"] = 100 * gops / int8_peak_gops(Isa::kAvx512);
//
// Units: GOP/s, two operations a multiply-add; GB/s of 10⁹ bytes. Threads: one.
#pragma once

#include "base/cpu_features.h"

namespace tribar::micro {

// In the fastest int8 or fp32 instruction that the kernels of this set use.
double int8_peak_gops(Isa isa);
double fp32_peak_gops(Isa isa);

}  // namespace tribar::micro
