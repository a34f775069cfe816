#include "kernel/amx/entries.h"
#include "kernel/amx/linear.h"

namespace tribar::kernel::amx {

std::span<const LinearEntry> linear_nibbles() {
  static constexpr LinearEntry kEntries[] = {
      tile_entry<panel::Q4_0>("amx.q4_0.p16"),
      tile_entry<panel::Q4_1>("amx.q4_1.p16"),
      tile_entry<panel::Q4_K>("amx.q4_k.p16"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::amx
