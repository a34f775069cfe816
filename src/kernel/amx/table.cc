#include "kernel/amx/linear.h"
#include "kernel/isa_kernels.h"

namespace tribar::kernel::amx {
namespace {

// Plain arrays, as in avx512/table.cc.
struct LinearList {
  static constexpr int kCapacity = 16;
  LinearEntry entries[kCapacity];
  int count = 0;

  LinearList() {
    for (const auto list : {linear_nibbles, linear_five_bits, linear_wide, linear_code_books, linear_narrow}) {
      for (const LinearEntry& entry : list()) entries[count++] = entry;
    }
  }
};

}  // namespace

// Everything but linear layers is that of avx512/.
void add_kernels(KernelTable* /*table*/) {}

std::span<const LinearEntry> linear_kernels() {
  static const LinearList kList;
  return {kList.entries, static_cast<size_t>(kList.count)};
}

}  // namespace tribar::kernel::amx
