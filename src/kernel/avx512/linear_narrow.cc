#include "kernel/avx512/linear.h"
#include "kernel/avx512/vec.h"
#include "kernel/panel/entries.h"

namespace tribar::kernel::avx512 {

std::span<const LinearEntry> linear_narrow() {
  static constexpr LinearEntry kEntries[] = {
      panel::fast_entry<Avx512, panel::Q2_K>("avx512.q2_k.p16"),
      panel::fast_entry<Avx512, panel::Q3_K>("avx512.q3_k.p16"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::avx512
