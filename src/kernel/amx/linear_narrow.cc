#include "kernel/amx/entries.h"
#include "kernel/amx/linear.h"

namespace tribar::kernel::amx {

std::span<const LinearEntry> linear_narrow() {
  static constexpr LinearEntry kEntries[] = {
      tile_entry<panel::Q2_K>("amx.q2_k.p16"),
      tile_entry<panel::Q3_K>("amx.q3_k.p16"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::amx
