#include "kernel/avx512/linear.h"
#include "kernel/avx512/vec.h"
#include "kernel/panel/entries.h"

namespace tribar::kernel::avx512 {

std::span<const LinearEntry> linear_exact() {
  static constexpr LinearEntry kEntries[] = {
      panel::exact_entry<Avx512, panel::Q4_0>("avx512.q4_0.p16.exact"),
      panel::exact_entry<Avx512, panel::Q4_1>("avx512.q4_1.p16.exact"),
      panel::exact_entry<Avx512, panel::Q5_0>("avx512.q5_0.p16.exact"),
      panel::exact_entry<Avx512, panel::Q5_1>("avx512.q5_1.p16.exact"),
      panel::exact_entry<Avx512, panel::Q8_0>("avx512.q8_0.p16.exact"),
      panel::exact_entry<Avx512, panel::Q2_K>("avx512.q2_k.p16.exact"),
      panel::exact_entry<Avx512, panel::Q3_K>("avx512.q3_k.p16.exact"),
      panel::exact_entry<Avx512, panel::Q4_K>("avx512.q4_k.p16.exact"),
      panel::exact_entry<Avx512, panel::Q5_K>("avx512.q5_k.p16.exact"),
      panel::exact_entry<Avx512, panel::Q6_K>("avx512.q6_k.p16.exact"),
      panel::exact_entry<Avx512, panel::IQ4_NL>("avx512.iq4_nl.p16.exact"),
      panel::exact_entry<Avx512, panel::IQ4_XS>("avx512.iq4_xs.p16.exact"),
      panel::exact_entry<Avx512, panel::MXFP4>("avx512.mxfp4.p16.exact"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::avx512
