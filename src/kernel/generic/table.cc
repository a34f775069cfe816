#include "kernel/generic/generic.h"
#include "kernel/isa_kernels.h"

namespace tribar::kernel::TRIBAR_GENERIC {

void add_kernels(KernelTable* table) {
  reference::add_kernels(table);
  table->quantize = quantize;
  table->rms_norm = rms_norm;
  table->layer_norm = layer_norm;
  table->add = add;
  table->scale = scale;
  table->softcap = softcap;
  table->activate = activate;
  table->glu = glu;
  table->rope = rope;
}

std::span<const LinearEntry> linear_kernels() { return reference::linear_kernels(); }

}  // namespace tribar::kernel::TRIBAR_GENERIC
