#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernel/linear_types.h"
#include "kernel/table.h"

namespace tribar::kernel {
namespace {

constexpr Isa kIsas[] = {Isa::kReference, Isa::kGeneric, Isa::kAvx2, Isa::kAvx512};

TEST(Registry, EveryIsaHasEveryKernel) {
  for (Isa isa : kIsas) {
    const KernelTable& table = kernel_table(isa);
    void (*entries[sizeof(KernelTable) / sizeof(void (*)())])();
    static_assert(sizeof(entries) == sizeof(KernelTable));
    std::memcpy(static_cast<void*>(entries), &table, sizeof entries);
    EXPECT_TRUE(std::none_of(std::begin(entries), std::end(entries), [](auto fn) { return fn == nullptr; }))
        << isa_name(isa);
  }
}

TEST(Registry, EveryWeightTypeHasALinearKernelInEveryPrecisionAndIsa) {
  for (Isa isa : kIsas) {
    for (const LinearType& type : kLinearTypes) {
      for (Precision precision : {Precision::kFast, Precision::kExact}) {
        const LinearKernel* kernel = find_linear(isa, type.weight, precision);
        ASSERT_NE(kernel, nullptr) << isa_name(isa) << " " << dtype_name(type.weight);
        EXPECT_EQ(kernel->weight, type.weight);
        EXPECT_NE(kernel->run, nullptr);
        EXPECT_EQ(kernel->panel_rows != 0, kernel->pack != nullptr && kernel->packed_bytes != nullptr);
        EXPECT_EQ(kernel->panel_rows != 0, kernel->unpack_row != nullptr);
        EXPECT_EQ(kernel->activation, precision == Precision::kExact ? DType::kF32 : type.fast_activation)
            << kernel->name;
      }
    }
  }
}

TEST(Registry, KnowsNoLinearKernelForTypesThatAreNoWeights) {
  for (DType type : {DType::kI8, DType::kI32, DType::kI64, DType::kQ8Act}) {
    EXPECT_EQ(find_linear(Isa::kGeneric, type, Precision::kFast), nullptr) << dtype_name(type);
  }
}

}  // namespace
}  // namespace tribar::kernel
