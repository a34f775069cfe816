#include "kernel/avx512/linear.h"
#include "kernel/avx512/vec.h"
#include "kernel/panel/entries.h"

namespace tribar::kernel::avx512 {

std::span<const LinearEntry> linear_plain() {
  using panel::plain_entry;
  static constexpr LinearEntry kEntries[] = {
      plain_entry<Avx512, uint32_t, DType::kF32>(Precision::kFast, "avx512.f32.p16"),
      plain_entry<Avx512, uint32_t, DType::kF32>(Precision::kExact, "avx512.f32.p16"),
      plain_entry<Avx512, uint16_t, DType::kF16>(Precision::kFast, "avx512.f16.p16"),
      plain_entry<Avx512, uint16_t, DType::kF16>(Precision::kExact, "avx512.f16.p16"),
      plain_entry<Avx512, uint16_t, DType::kBF16>(Precision::kFast, "avx512.bf16.p16"),
      plain_entry<Avx512, uint16_t, DType::kBF16>(Precision::kExact, "avx512.bf16.p16"),
  };
  return kEntries;
}

}  // namespace tribar::kernel::avx512
