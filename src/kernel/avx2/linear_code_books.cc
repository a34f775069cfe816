#include "kernel/avx2/linear.h"
#include "kernel/avx2/vec.h"
#include "kernel/panel/entries.h"

namespace tribar::kernel::avx2 {

std::span<const LinearEntry> linear_code_books() {
  static constexpr LinearEntry kEntries[] = {
      panel::fast_entry<Avx2, panel::IQ4_NL>("avx2.iq4_nl.p8"),
      panel::fast_entry<Avx2, panel::IQ4_XS>("avx2.iq4_xs.p8"),
      panel::fast_entry<Avx2, panel::MXFP4>("avx2.mxfp4.p8"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::avx2
