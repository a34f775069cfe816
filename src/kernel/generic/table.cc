#include "kernel/isa_kernels.h"

namespace tribar::kernel::TRIBAR_GENERIC {

void add_kernels(KernelTable* table) { reference::add_kernels(table); }

std::span<const LinearEntry> linear_kernels() { return reference::linear_kernels(); }

}  // namespace tribar::kernel::TRIBAR_GENERIC
