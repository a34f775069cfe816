#include "kernel/avx2/linear.h"
#include "kernel/avx2/vec.h"
#include "kernel/panel/entries.h"

namespace tribar::kernel::avx2 {

std::span<const LinearEntry> linear_five_bits() {
  static constexpr LinearEntry kEntries[] = {
      panel::fast_entry<Avx2, panel::Q5_0>("avx2.q5_0.p8"),
      panel::fast_entry<Avx2, panel::Q5_1>("avx2.q5_1.p8"),
      panel::fast_entry<Avx2, panel::Q5_K>("avx2.q5_k.p8"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::avx2
