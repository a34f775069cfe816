#include "kernel/avx2/linear.h"
#include "kernel/avx2/vec.h"
#include "kernel/panel/entries.h"

namespace tribar::kernel::avx2 {

std::span<const LinearEntry> linear_nibbles() {
  static constexpr LinearEntry kEntries[] = {
      panel::fast_entry<Avx2, panel::Q4_0>("avx2.q4_0.p8"),
      panel::fast_entry<Avx2, panel::Q4_1>("avx2.q4_1.p8"),
      panel::fast_entry<Avx2, panel::Q4_K>("avx2.q4_k.p8"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::avx2
