#include <array>
#include <vector>

#include "kernel/isa_kernels.h"
#include "kernel/table.h"

namespace tribar::kernel {
namespace {

// Later sets override earlier ones.
std::vector<KernelSet> kernel_sets(Isa isa) {
  switch (isa) {
    case Isa::kReference: return {reference::kKernels};
    case Isa::kGeneric: return {generic::kKernels};
#if defined(__x86_64__)
    case Isa::kAvx2: return {generic_avx2::kKernels, avx2::kKernels};
    case Isa::kAvx512: return {generic_avx512::kKernels, avx512::kKernels};
    case Isa::kAmx: return {generic_avx512::kKernels, avx512::kKernels, amx::kKernels};
#else
    case Isa::kAvx2:
    case Isa::kAvx512:
    case Isa::kAmx: break;
#endif
  }
  return {};
}

struct IsaEntry {
  KernelTable table{};
  // [dtype][precision]
  std::array<std::array<const LinearKernel*, 2>, static_cast<size_t>(DType::kCount)> linear{};
};

IsaEntry build(Isa isa) {
  IsaEntry entry;
  for (const KernelSet& set : kernel_sets(isa)) {
    set.add_kernels(&entry.table);
    for (const LinearEntry& e : set.linear_kernels()) {
      entry.linear[static_cast<size_t>(e.kernel.weight)][static_cast<size_t>(e.precision)] = &e.kernel;
    }
  }
  return entry;
}

const IsaEntry& entry_of(Isa isa) {
  static const std::array<IsaEntry, kAllIsas.size()> kEntries = {
      build(Isa::kReference), build(Isa::kGeneric), build(Isa::kAvx2), build(Isa::kAvx512), build(Isa::kAmx)};
  return kEntries[static_cast<size_t>(isa)];
}

}  // namespace

const KernelTable& kernel_table(Isa isa) { return entry_of(isa).table; }

const LinearKernel* find_linear(Isa isa, DType weight, Precision precision) {
  return entry_of(isa).linear[static_cast<size_t>(weight)][static_cast<size_t>(precision)];
}

}  // namespace tribar::kernel
