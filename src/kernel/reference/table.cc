#include <array>

#include "kernel/isa_kernels.h"
#include "kernel/linear_types.h"
#include "kernel/reference/reference.h"

namespace tribar::kernel::reference {
namespace {

// One function serves all types: it dequantises whatever it is given.
constexpr auto kLinear = [] {
  std::array<LinearEntry, 2 * kLinearTypes.size()> entries{};
  for (size_t i = 0; i < kLinearTypes.size(); ++i) {
    const LinearType& type = kLinearTypes[i];
    entries[2 * i] = {Precision::kExact, {"reference.exact", type.weight, DType::kF32, 0, nullptr, nullptr, linear}};
    entries[2 * i + 1] = {Precision::kFast,
                          {"reference.fast", type.weight, type.fast_activation, 0, nullptr, nullptr, linear}};
  }
  return entries;
}();

}  // namespace

void add_kernels(KernelTable* table) {
  *table = {embed,    quantize, rms_norm,   layer_norm, add,       scale,     softcap,
            activate, glu,      rope_table, rope,       kv_append, attention, gather_rows};
}

std::span<const LinearEntry> linear_kernels() { return kLinear; }

}  // namespace tribar::kernel::reference
