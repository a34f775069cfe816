// The kernel self-test: every kernel of an instruction-set level against the scalar reference, on small random data.
//
//   for (const KernelCheck& check : check_kernels(Isa::kAvx512)) {
//     if (!check.passed()) ... check.name, check.error, check.tolerance
//   }
//
// Finds a processor, compiler or emulator that computes wrongly before a model does. Covers each entry of KernelTable
// and each LinearKernel in both precisions, for one token, a few and a prefill tile, with tails. Takes a fraction of a
// second. `error` and `tolerance` are absolute unless the name of the unit says otherwise (see KernelCheck::unit).
// Threads: any. Errors: none; a kernel that dies takes the process with it.
#pragma once

#include <string>
#include <vector>

#include "kernel/table.h"

namespace tribar::kernel {

struct KernelCheck {
  Isa isa = Isa::kReference;
  std::string name;  // "rms_norm", "linear q4_k fast"
  std::string unit;  // of the error: "absolute", "relative", "bytes that differ"
  double error = 0;  // the largest seen; infinity for a NaN or a write where there should be none
  double tolerance = 0;
  bool passed() const { return error <= tolerance; }  // false for a NaN
};

// Every kernel of a level that this machine supports.
std::vector<KernelCheck> check_kernels(Isa isa);

// One part each. A test hands in tables with a defect.
std::vector<KernelCheck> check_table(Isa isa, const KernelTable& table);
KernelCheck check_linear(Isa isa, const LinearKernel& kernel, Precision precision);

}  // namespace tribar::kernel
