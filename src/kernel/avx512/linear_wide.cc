#include "kernel/avx512/linear.h"
#include "kernel/avx512/vec.h"
#include "kernel/panel/entries.h"

namespace tribar::kernel::avx512 {

std::span<const LinearEntry> linear_wide() {
  static constexpr LinearEntry kEntries[] = {
      panel::fast_entry<Avx512, panel::Q6_K>("avx512.q6_k.p16"),
      panel::fast_entry<Avx512, panel::Q8_0>("avx512.q8_0.p16"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::avx512
