#include "kernel/avx512/linear.h"
#include "kernel/avx512/vec.h"
#include "kernel/panel/entries.h"

namespace tribar::kernel::avx512 {

std::span<const LinearEntry> linear_code_books() {
  static constexpr LinearEntry kEntries[] = {
      panel::fast_entry<Avx512, panel::IQ4_NL>("avx512.iq4_nl.p16"),
      panel::fast_entry<Avx512, panel::IQ4_XS>("avx512.iq4_xs.p16"),
      panel::fast_entry<Avx512, panel::MXFP4>("avx512.mxfp4.p16"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::avx512
