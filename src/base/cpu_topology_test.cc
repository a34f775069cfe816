#include "base/cpu_topology.h"

#include <gtest/gtest.h>

#include "base/available_cpus.h"
#include "base/testing/fake_root.h"

namespace tribar {
namespace {

using Cpus = std::vector<int>;

TEST(CpuList, ReadsRangesAndRefusesTheRest) {
  EXPECT_EQ(parse_cpu_list("0-3,8\n"), (Cpus{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("5"), (Cpus{5}));
  for (const char* text : {"", "\n", "x", "3-1", "1,,2", "-1", "1-", "0-99999999999", "0-2097152"}) {
    EXPECT_EQ(parse_cpu_list(text), Cpus{}) << text;
  }
}

TEST(CpuList, WritesRanges) {
  EXPECT_EQ(cpu_list_text({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
  EXPECT_EQ(cpu_list_text({}), "");
}

// Four cores of two threads, two nodes; L3 for each node.
void write_machine(const FakeRoot& root) {
  root.write("proc/cpuinfo", "processor : 0\nmodel name\t: Test CPU 9000\n");
  root.write("sys/devices/system/cpu/online", "0-7\n");
  root.write("sys/devices/system/node/online", "0-1\n");
  root.write("sys/devices/system/node/node0/cpulist", "0-1,4-5\n");
  root.write("sys/devices/system/node/node1/cpulist", "2-3,6-7\n");
  for (int cpu = 0; cpu < 8; ++cpu) {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/";
    const std::string core = cpu_list_text({cpu % 4, cpu % 4 + 4});
    root.write(folder + "topology/core_cpus_list", core + "\n");
    const auto cache = [&](int index, const char* type, const char* level, const char* size,
                           const std::string& shared) {
      const std::string at = folder + "cache/index" + std::to_string(index) + "/";
      root.write(at + "type", type);
      root.write(at + "level", level);
      root.write(at + "size", size);
      root.write(at + "shared_cpu_list", shared);
    };
    cache(0, "Data\n", "1\n", "48K\n", core);
    cache(1, "Instruction\n", "1\n", "32K\n", core);
    cache(2, "Unified\n", "2\n", "2048K\n", core);
    cache(3, "Unified\n", "3\n", "32M\n", cpu % 4 < 2 ? "0-1,4-5" : "2-3,6-7");
  }
}

TEST(CpuTopology, ReadsCoresNodesAndCaches) {
  const FakeRoot root("topology");
  write_machine(root);
  const CpuTopology t = read_cpu_topology(root.path(), {0, 1, 4});
  EXPECT_EQ(t.name, "Test CPU 9000");
  EXPECT_EQ(t.online.size(), 8u);
  EXPECT_EQ(t.allowed, (Cpus{0, 1, 4}));
  EXPECT_EQ(t.allowed_cores, 2);  // 0 and 4 are one core
  EXPECT_EQ(read_cpu_topology(root.path(), {0, 2, 4, 6, 7}).spread, (Cpus{0, 2, 7, 4, 6}));
  EXPECT_EQ(t.threads_per_core, 2);
  EXPECT_EQ(t.numa_nodes, (std::vector<NumaNode>{{0, {0, 1, 4, 5}}, {1, {2, 3, 6, 7}}}));
  EXPECT_EQ(t.caches, (std::vector<CpuCache>{{1, 48 << 10, 2, 4}, {2, 2 << 20, 2, 4}, {3, 32 << 20, 4, 2}}));
}

TEST(CpuTopology, AnEmptyRootGivesWhatIsKnownAnyway) {
  const FakeRoot root("topology_empty");
  const CpuTopology t = read_cpu_topology(root.path(), {3, 5});
  EXPECT_EQ(t.name, "unknown");
  EXPECT_EQ(t.online, (Cpus{3, 5}));
  EXPECT_EQ(t.allowed_cores, 2);
  EXPECT_EQ(t.threads_per_core, 1);
  EXPECT_TRUE(t.numa_nodes.empty());
  EXPECT_TRUE(t.caches.empty());
}

TEST(CpuTopology, GarbageIsLeftOut) {
  const FakeRoot root("topology_garbage");
  root.write("proc/cpuinfo", "model name\nmodel name :\n");
  root.write("sys/devices/system/cpu/online", "zero\n");
  root.write("sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n");
  root.write("sys/devices/system/cpu/cpu0/cache/index0/level", "one\n");
  root.write("sys/devices/system/cpu/cpu0/cache/index0/size", "99999999999999999999K\n");
  const CpuTopology t = read_cpu_topology(root.path(), {0});
  EXPECT_EQ(t.name, "unknown");
  EXPECT_TRUE(t.caches.empty());
}

TEST(CpuTopology, ThisMachineHasProcessorsAndTheSameL1ByBothWays) {
  const CpuTopology t = read_cpu_topology();
  EXPECT_EQ(t.allowed, affinity_cpus());
  EXPECT_GE(t.online.size(), t.allowed.size());
  const std::vector<CpuCache> by_cpuid = cpuid_caches();
  if (t.caches.empty() || by_cpuid.empty()) GTEST_SKIP() << "this machine does not tell its caches";
  EXPECT_EQ(t.caches[0].size_bytes, by_cpuid[0].size_bytes);
}

}  // namespace
}  // namespace tribar
