#include "base/available_cpus.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace tribar {
namespace {

namespace fs = std::filesystem;

// A pretended file system root with cgroup files.
class CgroupRoot : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) / ("cgroup_" + std::string(test_info_name()));
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& path, std::string_view text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  static const char* test_info_name() { return testing::UnitTest::GetInstance()->current_test_info()->name(); }

  fs::path root_;
};

TEST_F(CgroupRoot, NoFilesMeanNoQuota) { EXPECT_FALSE(cgroup_cpu_quota(root_).has_value()); }

TEST_F(CgroupRoot, VersionTwoReadsQuotaAndPeriod) {
  write("proc/self/cgroup", "0::/app/job\n");
  write("sys/fs/cgroup/app/job/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(cgroup_cpu_quota(root_).value_or(0), 1.5);
}

TEST_F(CgroupRoot, VersionTwoMaxIsNoLimit) {
  write("proc/self/cgroup", "0::/app\n");
  write("sys/fs/cgroup/app/cpu.max", "max 100000\n");
  EXPECT_FALSE(cgroup_cpu_quota(root_).has_value());
}

TEST_F(CgroupRoot, TheTightestGroupOnThePathCounts) {
  write("proc/self/cgroup", "0::/app/job\n");
  write("sys/fs/cgroup/cpu.max", "800000 100000\n");
  write("sys/fs/cgroup/app/cpu.max", "200000 100000\n");
  write("sys/fs/cgroup/app/job/cpu.max", "400000 100000\n");
  EXPECT_DOUBLE_EQ(cgroup_cpu_quota(root_).value_or(0), 2.0);
}

TEST_F(CgroupRoot, ContainerSeesItsOwnGroupAsTheRoot) {
  write("proc/self/cgroup", "0::/docker/0123abcd\n");
  write("sys/fs/cgroup/cpu.max", "300000 100000\n");
  EXPECT_DOUBLE_EQ(cgroup_cpu_quota(root_).value_or(0), 3.0);
}

TEST_F(CgroupRoot, VersionOneReadsCpuControllerOnly) {
  write("proc/self/cgroup", "5:cpuset:/other\n4:cpu,cpuacct:/app\n1:name=systemd:/x\n");
  write("sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "50000\n");
  write("sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpuset/other/cpu.cfs_quota_us", "1000\n");
  write("sys/fs/cgroup/cpuset/other/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(cgroup_cpu_quota(root_).value_or(0), 0.5);
}

TEST_F(CgroupRoot, VersionOneMinusOneIsNoLimit) {
  write("proc/self/cgroup", "4:cpu:/\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(cgroup_cpu_quota(root_).has_value());
}

TEST_F(CgroupRoot, GarbageIsNoLimit) {
  write("proc/self/cgroup", "nonsense\n0::\n0::/a\n");
  write("sys/fs/cgroup/a/cpu.max", "abc\n");
  EXPECT_FALSE(cgroup_cpu_quota(root_).has_value());
}

TEST(AvailableCpus, StaysWithinTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const int all = available_cpus();
  EXPECT_GE(all, 1);
  EXPECT_LE(all, CPU_COUNT(&before));

  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &before)) {
      CPU_SET(cpu, &one);
      break;
    }
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(available_cpus(), 1);
  ASSERT_EQ(affinity_cpus().size(), 1u);
  EXPECT_TRUE(CPU_ISSET(affinity_cpus()[0], &one));
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace tribar
