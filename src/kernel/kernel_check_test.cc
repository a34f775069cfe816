#include "kernel/kernel_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernel/kernel_test_data.h"
#include "kernel/linear_types.h"

namespace tribar::kernel {
namespace {

TEST(SelfTest, EveryKernelOfThisMachinePasses) {
  for (Isa isa : tested_isas()) {
    for (const KernelCheck& check : check_kernels(isa)) {
      EXPECT_TRUE(check.passed()) << isa_name(isa) << " " << check.name << ": " << check.error << " > "
                                  << check.tolerance;
      EXPECT_EQ(check.isa, isa);
    }
  }
}

// A new entry of KernelTable or a new weight type must come with its check.
TEST(SelfTest, CoversEveryEntryAndEveryWeightType) {
  constexpr size_t kEntries = sizeof(KernelTable) / sizeof(void (*)());
  const std::vector<KernelCheck> checks = check_kernels(Isa::kGeneric);
  EXPECT_EQ(checks.size(), kEntries + 2 * kLinearTypes.size());
  std::set<std::string> names;
  for (const KernelCheck& check : checks) names.insert(check.name);
  EXPECT_EQ(names.size(), checks.size());
}

std::vector<std::string> failures(const std::vector<KernelCheck>& checks) {
  std::vector<std::string> names;
  for (const KernelCheck& check : checks) {
    if (!check.passed()) names.push_back(check.name);
  }
  return names;
}

void wrong_softcap(const SoftcapArgs& args, Shard shard) {
  kernel_table(Isa::kReference).softcap(args, shard);
  if (shard.index == 0) args.y.f32(0)[args.y.cols - 1] *= 1.0001f;
}
void overrunning_rms_norm(const RmsNormArgs& args, Shard shard) {
  kernel_table(Isa::kReference).rms_norm(args, shard);
  args.y.f32(0)[args.y.cols] = 0.0f;
}
void lost_key(const KvAppendArgs& args, Shard shard) {
  if (shard.index != 0) kernel_table(Isa::kReference).kv_append(args, shard);
}

TEST(SelfTest, FindsTheKernelThatIsWrong) {
  KernelTable table = kernel_table(Isa::kGeneric);
  EXPECT_EQ(failures(check_table(Isa::kGeneric, table)), std::vector<std::string>{});
  table.softcap = wrong_softcap;
  table.rms_norm = overrunning_rms_norm;
  EXPECT_EQ(failures(check_table(Isa::kGeneric, table)), (std::vector<std::string>{"rms_norm", "softcap"}));
  table = kernel_table(Isa::kGeneric);
  table.kv_append = lost_key;
  EXPECT_EQ(failures(check_table(Isa::kGeneric, table)), (std::vector<std::string>{"kv_append", "attention"}));
}

const LinearKernel& sound_kernel() { return *find_linear(Isa::kGeneric, DType::kQ4_0, Precision::kFast); }
void wrong_in_large_tiles(const LinearArgs& args, Shard shard) {
  sound_kernel().run(args, shard);
  if (args.y.rows > 8 && shard.index == 0) args.y.f32(5)[0] += 0.01f;
}

TEST(SelfTest, FindsALinearKernelThatIsWrongForManyTokensOnly) {
  LinearKernel kernel = sound_kernel();
  EXPECT_TRUE(check_linear(Isa::kGeneric, kernel, Precision::kFast).passed());
  kernel.run = wrong_in_large_tiles;
  const KernelCheck check = check_linear(Isa::kGeneric, kernel, Precision::kFast);
  EXPECT_FALSE(check.passed());
  EXPECT_NEAR(check.error, 0.01, 0.001);
}

}  // namespace
}  // namespace tribar::kernel
