#include <array>

#include "kernel/generic/generic.h"
#include "kernel/isa_kernels.h"
#include "kernel/linear_types.h"

#define TRIBAR_STRING_INNER(x) #x
#define TRIBAR_STRING(x) TRIBAR_STRING_INNER(x)
#define TRIBAR_GENERIC_NAME TRIBAR_STRING(TRIBAR_GENERIC)

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
  table->kv_append = kv_append;
  table->attention = attention;
}

namespace {

constexpr LinearKernel exact_kernel(DType weight) {
  return {TRIBAR_GENERIC_NAME ".exact", weight, DType::kF32, 0, nullptr, nullptr, linear_exact};
}

// Types that are floats already have nothing to gain from quantised activations.
constexpr LinearKernel fast_kernel(const LinearType& type) {
  if (type.fast_activation == DType::kF32) return exact_kernel(type.weight);
  return {TRIBAR_GENERIC_NAME ".fast", type.weight, type.fast_activation, 0, nullptr, nullptr, linear_fast};
}

constexpr auto kLinear = [] {
  std::array<LinearEntry, 2 * kLinearTypes.size()> entries{};
  for (size_t i = 0; i < kLinearTypes.size(); ++i) {
    entries[2 * i] = {Precision::kExact, exact_kernel(kLinearTypes[i].weight)};
    entries[2 * i + 1] = {Precision::kFast, fast_kernel(kLinearTypes[i])};
  }
  return entries;
}();

}  // namespace

std::span<const LinearEntry> linear_kernels() { return kLinear; }

}  // namespace tribar::kernel::TRIBAR_GENERIC
