#include <vector>

#include "kernel/avx2/linear.h"
#include "kernel/isa_kernels.h"

namespace tribar::kernel::avx2 {

void add_kernels(KernelTable* /*table*/) {}

std::span<const LinearEntry> linear_kernels() {
  static const std::vector<LinearEntry> kEntries = [] {
    std::vector<LinearEntry> all;
    for (const auto list : {linear_plain, linear_nibbles, linear_five_bits, linear_wide, linear_code_books,
                            linear_narrow, linear_exact}) {
      const std::span<const LinearEntry> entries = list();
      all.insert(all.end(), entries.begin(), entries.end());
    }
    return all;
  }();
  return kEntries;
}

}  // namespace tribar::kernel::avx2
