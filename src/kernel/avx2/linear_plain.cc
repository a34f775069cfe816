#include "kernel/avx2/linear.h"
#include "kernel/avx2/vec.h"
#include "kernel/panel/entries.h"

namespace tribar::kernel::avx2 {

std::span<const LinearEntry> linear_plain() {
  using panel::plain_entry;
  static constexpr LinearEntry kEntries[] = {
      plain_entry<Avx2, uint32_t, DType::kF32>(Precision::kFast, "avx2.f32.p8"),
      plain_entry<Avx2, uint32_t, DType::kF32>(Precision::kExact, "avx2.f32.p8"),
      plain_entry<Avx2, uint16_t, DType::kF16>(Precision::kFast, "avx2.f16.p8"),
      plain_entry<Avx2, uint16_t, DType::kF16>(Precision::kExact, "avx2.f16.p8"),
      plain_entry<Avx2, uint16_t, DType::kBF16>(Precision::kFast, "avx2.bf16.p8"),
      plain_entry<Avx2, uint16_t, DType::kBF16>(Precision::kExact, "avx2.bf16.p8"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::avx2
