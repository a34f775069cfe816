#include "kernel/avx512/attention.h"
#include "kernel/avx512/linear.h"
#include "kernel/avx512/quantize.h"
#include "kernel/isa_kernels.h"

namespace tribar::kernel::avx512 {
namespace {

// Plain arrays: an instance of a library container made here would hold AVX-512 code that the linker may give to
// others.
struct LinearList {
  static constexpr int kCapacity = 32;
  LinearEntry entries[kCapacity];
  int count = 0;

  LinearList() {
    for (const auto list : {linear_plain, linear_nibbles, linear_five_bits, linear_wide, linear_code_books,
                            linear_narrow, linear_exact}) {
      for (const LinearEntry& entry : list()) entries[count++] = entry;
    }
  }
};

}  // namespace

void add_kernels(KernelTable* table) {
  table->attention = attention;
  table->quantize = quantize;
}

std::span<const LinearEntry> linear_kernels() {
  static const LinearList kList;
  return {kList.entries, static_cast<size_t>(kList.count)};
}

}  // namespace tribar::kernel::avx512
