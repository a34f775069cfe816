#include "kernel/avx2/linear.h"
#include "kernel/avx2/vec.h"
#include "kernel/panel/entries.h"

namespace tribar::kernel::avx2 {

std::span<const LinearEntry> linear_exact() {
  static constexpr LinearEntry kEntries[] = {
      panel::exact_entry<Avx2, panel::Q4_0>("avx2.q4_0.p8.exact"),
      panel::exact_entry<Avx2, panel::Q4_1>("avx2.q4_1.p8.exact"),
      panel::exact_entry<Avx2, panel::Q5_0>("avx2.q5_0.p8.exact"),
      panel::exact_entry<Avx2, panel::Q5_1>("avx2.q5_1.p8.exact"),
      panel::exact_entry<Avx2, panel::Q8_0>("avx2.q8_0.p8.exact"),
      panel::exact_entry<Avx2, panel::Q2_K>("avx2.q2_k.p8.exact"),
      panel::exact_entry<Avx2, panel::Q3_K>("avx2.q3_k.p8.exact"),
      panel::exact_entry<Avx2, panel::Q4_K>("avx2.q4_k.p8.exact"),
      panel::exact_entry<Avx2, panel::Q5_K>("avx2.q5_k.p8.exact"),
      panel::exact_entry<Avx2, panel::Q6_K>("avx2.q6_k.p8.exact"),
      panel::exact_entry<Avx2, panel::IQ4_NL>("avx2.iq4_nl.p8.exact"),
      panel::exact_entry<Avx2, panel::IQ4_XS>("avx2.iq4_xs.p8.exact"),
      panel::exact_entry<Avx2, panel::MXFP4>("avx2.mxfp4.p8.exact"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::avx2
