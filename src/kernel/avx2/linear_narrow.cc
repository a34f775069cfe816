#include "kernel/avx2/linear.h"
#include "kernel/avx2/vec.h"
#include "kernel/panel/entries.h"

namespace tribar::kernel::avx2 {

std::span<const LinearEntry> linear_narrow() {
  static constexpr LinearEntry kEntries[] = {
      panel::fast_entry<Avx2, panel::Q2_K>("avx2.q2_k.p8"),
      panel::fast_entry<Avx2, panel::Q3_K>("avx2.q3_k.p8"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::avx2
