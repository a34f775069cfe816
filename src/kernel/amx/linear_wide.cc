#include "kernel/amx/entries.h"
#include "kernel/amx/linear.h"

namespace tribar::kernel::amx {

std::span<const LinearEntry> linear_wide() {
  static constexpr LinearEntry kEntries[] = {
      tile_entry<panel::Q6_K>("amx.q6_k.p16"),
      tile_entry<panel::Q8_0>("amx.q8_0.p16"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::amx
