#include "kernel/avx2/linear.h"
#include "kernel/avx2/vec.h"
#include "kernel/panel/entries.h"

namespace tribar::kernel::avx2 {

std::span<const LinearEntry> linear_wide() {
  static constexpr LinearEntry kEntries[] = {
      panel::fast_entry<Avx2, panel::Q6_K>("avx2.q6_k.p8"),
      panel::fast_entry<Avx2, panel::Q8_0>("avx2.q8_0.p8"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::avx2
