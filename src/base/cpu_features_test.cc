#include "base/cpu_features.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace tribar {
namespace {

CpuFeatures avx2_machine() { return {.avx2 = true}; }
CpuFeatures avx512_machine() { return {.avx2 = true, .avx512 = true, .avx512_vnni = true}; }

TEST(Isa, NamesRoundTrip) {
  for (Isa isa : kAllIsas) {
    EXPECT_EQ(isa_from_name(isa_name(isa)), isa);
  }
  EXPECT_FALSE(isa_from_name("AVX2").has_value());
  EXPECT_FALSE(isa_from_name("").has_value());
}

CpuFeatures amx_machine() {
  CpuFeatures f = avx512_machine();
  f.amx_tile = f.amx_int8 = true;
  return f;
}

TEST(ChooseIsa, TakesTheBestLevel) {
  EXPECT_EQ(choose_isa(amx_machine(), std::nullopt).value(), Isa::kAmx);
  EXPECT_EQ(choose_isa({}, std::nullopt).value(), Isa::kGeneric);
  EXPECT_EQ(choose_isa(avx2_machine(), std::nullopt).value(), Isa::kAvx2);
  EXPECT_EQ(choose_isa(avx512_machine(), std::nullopt).value(), Isa::kAvx512);
  EXPECT_EQ(choose_isa(avx512_machine(), "").value(), Isa::kAvx512);
}

TEST(ChooseIsa, OneMissingFeatureDropsTheLevel) {
  CpuFeatures no_tiles = amx_machine();
  no_tiles.amx_tile = false;  // what a kernel without the permission amounts to
  EXPECT_EQ(choose_isa(no_tiles, std::nullopt).value(), Isa::kAvx512);
  CpuFeatures no_vnni = avx512_machine();
  no_vnni.avx512_vnni = false;
  EXPECT_EQ(choose_isa(no_vnni, std::nullopt).value(), Isa::kAvx2);
  CpuFeatures no_avx2 = avx512_machine();
  no_avx2.avx2 = false;
  EXPECT_EQ(choose_isa(no_avx2, std::nullopt).value(), Isa::kGeneric);
}

TEST(ChooseIsa, ForcedLevelIsObeyed) {
  EXPECT_EQ(choose_isa(avx512_machine(), "reference").value(), Isa::kReference);
  EXPECT_EQ(choose_isa(avx512_machine(), "avx2").value(), Isa::kAvx2);
}

TEST(ChooseIsa, UnknownAndUnsupportedLevelsAreErrorsThatNameThem) {
  const Result<Isa> unknown = choose_isa(avx512_machine(), "sse9");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(unknown.status().message().find("sse9"), std::string::npos);

  const Result<Isa> unsupported = choose_isa(avx2_machine(), "avx512");
  ASSERT_FALSE(unsupported.ok());
  EXPECT_EQ(unsupported.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(unsupported.status().message().find("possible here: reference, generic, avx2"), std::string::npos);
}

TEST(DetectIsa, ReadsTheEnvironment) {
  const char* before = std::getenv("TRIBAR_FORCE_ISA");
  const std::string saved = before == nullptr ? "" : before;
  setenv("TRIBAR_FORCE_ISA", "reference", 1);
  EXPECT_EQ(detect_isa().value(), Isa::kReference);
  setenv("TRIBAR_FORCE_ISA", "bogus", 1);
  EXPECT_FALSE(detect_isa().ok());
  if (before == nullptr) {
    unsetenv("TRIBAR_FORCE_ISA");
  } else {
    setenv("TRIBAR_FORCE_ISA", saved.c_str(), 1);
  }
}

// The kernel lists what it found by the same instruction: two independent readings must agree.
TEST(CpuFeatures, AgreeWithTheKernel) {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line) && !line.starts_with("flags")) {
  }
  if (line.empty()) GTEST_SKIP() << "no flags in /proc/cpuinfo";
  const std::string flags = line + " ";
  const auto listed = [&](const char* name) { return flags.find(" " + std::string(name) + " ") != std::string::npos; };
  const CpuFeatures& f = cpu_features();
  EXPECT_EQ(f.avx2, listed("avx2") && listed("fma") && listed("f16c"));
  EXPECT_EQ(f.avx512, listed("avx512f") && listed("avx512bw") && listed("avx512vl") && listed("avx512dq"));
  EXPECT_EQ(f.avx512_vnni, listed("avx512_vnni"));
  EXPECT_EQ(f.avx512_bf16, listed("avx512_bf16"));
  EXPECT_EQ(f.avx512_vbmi, listed("avx512vbmi"));
  EXPECT_EQ(f.avx512_fp16, listed("avx512_fp16"));
  EXPECT_EQ(f.avx_vnni, listed("avx_vnni"));
  EXPECT_EQ(f.amx_tile, listed("amx_tile"));
  EXPECT_EQ(f.amx_int8, listed("amx_int8"));
  EXPECT_EQ(f.amx_bf16, listed("amx_bf16"));
}

TEST(CpuFeatures, DescriptionListsWhatIsThere) {
  EXPECT_EQ(describe_cpu_features({}), "");
  EXPECT_EQ(describe_cpu_features(avx512_machine()), "avx2 avx512 avx512_vnni");
}

}  // namespace
}  // namespace tribar
