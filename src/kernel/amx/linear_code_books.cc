#include "kernel/amx/entries.h"
#include "kernel/amx/linear.h"

namespace tribar::kernel::amx {

std::span<const LinearEntry> linear_code_books() {
  static constexpr LinearEntry kEntries[] = {
      tile_entry<panel::IQ4_NL>("amx.iq4_nl.p16"),
      tile_entry<panel::IQ4_XS>("amx.iq4_xs.p16"),
      tile_entry<panel::MXFP4>("amx.mxfp4.p16"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::amx
