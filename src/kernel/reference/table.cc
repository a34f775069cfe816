#include "kernel/isa_kernels.h"

namespace tribar::kernel::reference {

void add_kernels(KernelTable* /*table*/) {}

std::span<const LinearEntry> linear_kernels() { return {}; }

}  // namespace tribar::kernel::reference
