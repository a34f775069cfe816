#include "kernel/amx/entries.h"
#include "kernel/amx/linear.h"

namespace tribar::kernel::amx {

std::span<const LinearEntry> linear_five_bits() {
  static constexpr LinearEntry kEntries[] = {
      tile_entry<panel::Q5_0>("amx.q5_0.p16"),
      tile_entry<panel::Q5_1>("amx.q5_1.p16"),
      tile_entry<panel::Q5_K>("amx.q5_k.p16"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::amx
