#include "base/available_memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace tribar {
namespace {

namespace fs = std::filesystem;

class AvailableMemory : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            ("available_memory_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root_);
    write("proc/meminfo", "MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable:     800 kB\n");
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const fs::path& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  fs::path root_;
};

TEST_F(AvailableMemory, IsWhatTheMachineHas) { EXPECT_EQ(available_memory_bytes(root_), 800u * 1024); }

TEST_F(AvailableMemory, IsCutByEveryGroupAbove) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/memory.max", "700000\n");
  write("sys/fs/cgroup/a/memory.current", "200000\n");
  write("sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 50000\nactive_file 7\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(available_memory_bytes(root_), 550000u);
  write("sys/fs/cgroup/a/b/memory.max", "100\n");
  write("sys/fs/cgroup/a/b/memory.current", "200\n");
  EXPECT_EQ(available_memory_bytes(root_), 0u);
}

TEST_F(AvailableMemory, KnowsTheOldHierarchy) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/x\n9:memory:/x\n");
  write("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "600000\n");
  write("sys/fs/cgroup/memory/x/memory.usage_in_bytes", "400000\n");
  EXPECT_EQ(available_memory_bytes(root_), 200000u);
}

TEST_F(AvailableMemory, TellsTheMachineAndTheTightestLimitApart) {
  EXPECT_EQ(total_memory_bytes(root_), 1000u * 1024);
  EXPECT_FALSE(cgroup_memory_limit_bytes(root_).has_value());
  write("proc/self/cgroup", "0::/a/b\n9:memory:/x\n");
  write("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712\n");  // v1's way to say none
  EXPECT_FALSE(cgroup_memory_limit_bytes(root_).has_value());
  write("sys/fs/cgroup/a/memory.max", "700000\n");
  write("sys/fs/cgroup/a/b/memory.max", "800000\n");
  EXPECT_EQ(cgroup_memory_limit_bytes(root_), 700000u);
}

TEST_F(AvailableMemory, TakesWhatCannotBeReadAsNoLimit) {
  fs::remove(root_ / "proc/meminfo");
  EXPECT_GT(available_memory_bytes(root_), uint64_t{1} << 40);
  EXPECT_GT(available_memory_bytes(), uint64_t{1} << 20) << "of this machine";
}

}  // namespace
}  // namespace tribar
