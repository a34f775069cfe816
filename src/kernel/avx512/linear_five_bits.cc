#include "kernel/avx512/linear.h"
#include "kernel/avx512/vec.h"
#include "kernel/panel/entries.h"

namespace tribar::kernel::avx512 {

std::span<const LinearEntry> linear_five_bits() {
  static constexpr LinearEntry kEntries[] = {
      panel::fast_entry<Avx512, panel::Q5_0>("avx512.q5_0.p16"),
      panel::fast_entry<Avx512, panel::Q5_1>("avx512.q5_1.p16"),
      panel::fast_entry<Avx512, panel::Q5_K>("avx512.q5_k.p16"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::avx512
