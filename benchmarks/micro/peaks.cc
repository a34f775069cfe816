#include "micro/peaks.h"

#include <map>
#include <string>
#include <string_view>

#include "kernel/machine_peaks.h"

namespace tribar::micro {
namespace {

double peak_gops(kernel::Arithmetic arithmetic, std::string_view name) {
  static std::map<std::string, double> measured;
  for (const kernel::PeakLoop& loop : kernel::supported_peak_loops()) {
    if (loop.arithmetic != arithmetic || loop.name != name) continue;
    double& gops = measured[std::string(loop.instruction)];
    if (gops == 0) gops = kernel::measure_compute_gops(loop).best;
    return gops;
  }
  return 0;
}

}  // namespace

double int8_peak_gops(Isa isa) { return peak_gops(kernel::Arithmetic::kInt8, kernel::int8_peak_name(isa)); }

double fp32_peak_gops(Isa isa) { return peak_gops(kernel::Arithmetic::kFp32, isa >= Isa::kAvx512 ? "avx512" : "avx2"); }

}  // namespace tribar::micro
