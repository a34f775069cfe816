// What an instruction-set folder hands to the registry. Internal to kernel/: everybody else uses kernel/table.h.
//
// A kernel set overwrites the entries of a KernelTable that it implements and lists its linear layers. The registry
// stacks sets (registry.cc): for kAvx512 first `generic` compiled with AVX-512 flags, then what avx512/ writes by
// hand. So a folder holds only what it does better, and a new one is a folder, a CMake line and a row.
// Threads: add_* are called once, during static initialisation of the registry.
#pragma once

#include <span>

#include "kernel/table.h"

namespace tribar::kernel {

struct LinearEntry {
  Precision precision;
  LinearKernel kernel;
};

struct KernelSet {
  void (*add_kernels)(KernelTable* table);
  std::span<const LinearEntry> (*linear_kernels)();
};

#define TRIBAR_DECLARE_KERNEL_SET(name)                             \
  namespace name {                                                  \
  void add_kernels(KernelTable* table);                             \
  std::span<const LinearEntry> linear_kernels();                    \
  inline constexpr KernelSet kKernels{add_kernels, linear_kernels}; \
  }

TRIBAR_DECLARE_KERNEL_SET(reference)
TRIBAR_DECLARE_KERNEL_SET(generic)
#if defined(__x86_64__)
TRIBAR_DECLARE_KERNEL_SET(generic_avx2)    // generic/*.cc compiled with -mavx2 -mfma -mf16c
TRIBAR_DECLARE_KERNEL_SET(generic_avx512)  // generic/*.cc compiled with -mavx512f and so on
TRIBAR_DECLARE_KERNEL_SET(avx2)
TRIBAR_DECLARE_KERNEL_SET(avx512)
TRIBAR_DECLARE_KERNEL_SET(amx)
#endif
#undef TRIBAR_DECLARE_KERNEL_SET

}  // namespace tribar::kernel
