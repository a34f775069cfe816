// The rules of the verdict, each with a made-up machine; and the two forms of the report.
#include "app/doctor_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>

#include "app/doctor_report.h"
#include "app/testing/made_up_machine.h"

namespace tribar::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A case is a made-up machine and what is changed about it.
struct Case {
  Machine machine = made_up_machine();
  MachineProfile profile = made_up_profile(made_up_machine());
  std::vector<kernel::KernelCheck> checks = {{Isa::kAvx2, "add", "relative", 0, 1e-7}};
  Isa isa = Isa::kAvx512;
  std::optional<std::string> forced;
  int wanted_threads = 0;

  std::vector<Advice> advice() const { return judge({machine, isa, forced, profile, checks, wanted_threads}); }
  std::vector<std::string> ids() const {
    std::vector<std::string> ids;
    for (const Advice& a : advice()) ids.push_back(a.id);
    return ids;
  }
};

TEST(Verdict, AGoodMachineNeedsNothing) {
  EXPECT_THAT(Case().ids(), IsEmpty());
  EXPECT_EQ(verdict_name({}), "good");
}

TEST(Verdict, AWrongKernelIsAnErrorAndNamesALevelThatPasses) {
  Case c;
  c.checks.push_back({Isa::kAvx512, "softcap", "relative", 1, 1e-7});
  c.checks.push_back({Isa::kAvx512, "linear Q4_0 fast", "absolute", 1, 1e-7});
  const std::vector<Advice> advice = c.advice();
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].severity, Severity::kError);
  EXPECT_THAT(advice[0].text, HasSubstr("avx512 compute wrongly here: softcap, linear Q4_0 fast."));
  EXPECT_EQ(advice[0].command, "export TRIBAR_FORCE_ISA=avx2");
  EXPECT_EQ(verdict_name(advice), "bad");
}

TEST(Verdict, Threads) {
  Case c;
  c.wanted_threads = 5;
  EXPECT_THAT(c.ids(), ElementsAre("threads_above_allowance"));
  c.wanted_threads = 4;
  EXPECT_THAT(c.ids(), IsEmpty());
  c.machine.cpu_quota = 2.5;
  c.machine.threads = 2;
  c.wanted_threads = 3;
  EXPECT_THAT(c.ids(), ElementsAre("threads_above_allowance", "quota_below_cpus"));
  EXPECT_EQ(verdict_name(c.advice()), "could be faster");
}

TEST(Verdict, Processors) {
  Case c;
  c.machine.cpus.online = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_THAT(c.ids(), ElementsAre("affinity_below_online"));
  c = {};
  c.machine.cpus.allowed_cores = 2;
  EXPECT_THAT(c.ids(), ElementsAre("smt_siblings"));
  EXPECT_EQ(c.advice()[0].command, "tribar bench MODEL -t 2,4");
  c = {};
  c.machine.cpus.numa_nodes = {{0, {0, 1}}, {1, {2, 3}}, {2, {4, 5}}};  // the last is not used
  ASSERT_THAT(c.ids(), ElementsAre("numa_nodes"));
  EXPECT_THAT(c.advice()[0].text, HasSubstr("on 2 NUMA nodes"));
}

TEST(Verdict, HugePages) {
  Case c;
  c.machine.huge_pages.mode = "never";
  c.machine.huge_page_probe.huge_bytes = 0;
  ASSERT_THAT(c.ids(), ElementsAre("huge_pages_off"));
  EXPECT_THAT(c.advice()[0].command, HasSubstr("transparent_hugepage/enabled"));
  c.machine.huge_pages.mode = "madvise";
  ASSERT_THAT(c.ids(), ElementsAre("huge_pages_not_given"));
  EXPECT_THAT(c.advice()[0].command, HasSubstr("compact_memory"));
  c.machine.huge_pages.defrag = "never";
  EXPECT_THAT(c.advice()[0].command, HasSubstr("transparent_hugepage/defrag"));
  c.machine.huge_pages.mode = "";
  EXPECT_THAT(c.ids(), ElementsAre("huge_pages_unknown"));
}

TEST(Verdict, Memory) {
  Case c;
  c.machine.memory_limit_bytes = uint64_t{8} << 30;
  EXPECT_THAT(c.ids(), ElementsAre("memory_limit"));
  c.machine.memory_available_bytes = uint64_t{1} << 30;
  ASSERT_THAT(c.ids(), ElementsAre("little_memory"));
  EXPECT_THAT(c.advice()[0].command, HasSubstr("docker"));
  c.machine.memory_limit_bytes.reset();
  EXPECT_THAT(c.advice()[0].command, HasSubstr("ps "));
}

TEST(Verdict, Speed) {
  Case c;
  c.profile.peaks.stream = {{1, {5, 5}}, {4, {12, 12}}};
  EXPECT_THAT(c.ids(), ElementsAre("slow_stream"));
  c.profile.peaks.stream = {{1, {20, 20}}, {4, {21, 21}}};
  EXPECT_THAT(c.ids(), ElementsAre("stream_does_not_scale"));
  c = {};
  for (kernel::ComputePeak& peak : c.profile.peaks.compute) peak.all_threads = peak.one_thread;
  EXPECT_THAT(c.ids(), ElementsAre("threads_do_not_scale"));
  c = {};
  c.profile.peaks.compute[0].one_thread.median *= 0.5;
  EXPECT_THAT(c.ids(), ElementsAre("measured_busy"));
  c = {};
  c.profile.load_average = 4;
  EXPECT_THAT(c.ids(), ElementsAre("measured_busy"));
}

TEST(Verdict, Features) {
  Case c;
  c.isa = Isa::kGeneric;
  c.forced = "generic";
  EXPECT_THAT(c.ids(), ElementsAre("forced_isa"));
  c.isa = Isa::kAvx512;
  c.forced = "avx512";
  EXPECT_THAT(c.ids(), IsEmpty());
  c = {};
  c.machine.features = {.avx2 = true};
  EXPECT_THAT(c.ids(), ElementsAre("no_vnni"));
  c.machine.features = {};
  EXPECT_THAT(c.ids(), ElementsAre("no_avx2"));
  c = {};
  c.machine.features.amx_tile = true;
  EXPECT_THAT(c.ids(), ElementsAre("amx_not_permitted"));
  c.machine.amx_permission = true;
  EXPECT_THAT(c.ids(), IsEmpty());
}

TEST(DoctorReport, TextCountsKernelsAndNamesEveryFailure) {
  Case c;
  c.machine.isas = {Isa::kAvx2, Isa::kAvx512};
  c.checks.push_back({Isa::kAvx512, "softcap", "relative", 0.5, 1e-7});
  const Diagnosis diagnosis{c.machine, c.isa, c.forced, c.profile, c.checks, 0};
  const std::vector<Advice> advice = judge(diagnosis);
  const std::string text = doctor_text({diagnosis, advice, true}, Style::plain());
  EXPECT_THAT(text, HasSubstr("avx2         PASS  1 of 1\n"));
  EXPECT_THAT(text, HasSubstr("avx512       FAIL  0 of 1\n    FAIL softcap: error 0.5, tolerance 1e-07 (relative)\n"));
  EXPECT_THAT(text, HasSubstr("\nVerdict: bad\n"));
  EXPECT_THAT(text, HasSubstr("from the cache; --refresh measures again"));
  EXPECT_THAT(text, HasSubstr("Test CPU 9000"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(DoctorReport, JsonHoldsEverything) {
  const Case c;
  const Diagnosis diagnosis{c.machine, c.isa, c.forced, c.profile, c.checks, 0};
  const boost::json::value json = boost::json::parse(doctor_json({diagnosis, judge(diagnosis), false}));
  EXPECT_EQ(json.at("isa").at("chosen").as_string(), "avx512");
  EXPECT_TRUE(json.at("isa").at("forced").is_null());
  EXPECT_EQ(json.at("cpu").at("name").as_string(), "Test CPU 9000");
  EXPECT_TRUE(json.at("cpu").at("features").at("avx512_vnni").as_bool());
  EXPECT_TRUE(json.at("cpu").at("quota").is_null());
  EXPECT_EQ(json.at("cpu").at("allowed").as_array().size(), 4u);
  EXPECT_EQ(json.at("cpu").at("caches").at(0).at("size_bytes").as_int64(), 32 << 10);
  EXPECT_TRUE(json.at("memory").at("limit_bytes").is_null());
  EXPECT_EQ(json.at("huge_pages").at("mode").as_string(), "madvise");
  EXPECT_FALSE(json.at("peaks").at("from_cache").as_bool());
  EXPECT_EQ(json.at("peaks").at("compute_gops").as_array().size(), 2u);
  EXPECT_EQ(json.at("peaks").at("read_stream_gbps").at(1).at("gbps").at("best").to_number<double>(), 50);
  EXPECT_TRUE(json.at("self_test").at("passed").as_bool());
  EXPECT_EQ(json.at("self_test").at("checks").at(0).at("kernel").as_string(), "add");
  EXPECT_EQ(json.at("verdict").at("name").as_string(), "good");
}

}  // namespace
}  // namespace tribar::app
