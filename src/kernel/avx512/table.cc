#include "kernel/isa_kernels.h"

namespace tribar::kernel::avx512 {

void add_kernels(KernelTable* /*table*/) {}

std::span<const LinearEntry> linear_kernels() { return {}; }

}  // namespace tribar::kernel::avx512
