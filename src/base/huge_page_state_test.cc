#include "base/huge_page_state.h"

#include <gtest/gtest.h>

#include "base/testing/fake_root.h"

namespace tribar {
namespace {

TEST(HugePageState, ReadsModesAndReservedPages) {
  const FakeRoot root("thp");
  root.write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  root.write("sys/kernel/mm/transparent_hugepage/defrag", "always defer [defer+madvise] madvise never\n");
  root.write("proc/meminfo", "MemTotal: 5 kB\nHugePages_Total:  12\nHugePages_Free: 7\nHugepagesize: 2048 kB\n");
  root.write("proc/self/mounts", "none /proc proc rw 0 0\nhugetlbfs /dev/hugepages hugetlbfs rw 0 0\n");
  const HugePageState state = read_huge_page_state(root.path());
  EXPECT_EQ(state.mode, "madvise");
  EXPECT_EQ(state.defrag, "defer+madvise");
  EXPECT_EQ(state.hugetlb_pages, 12u);
  EXPECT_EQ(state.hugetlb_free_pages, 7u);
  EXPECT_EQ(state.hugetlb_page_bytes, 2u << 20);
  EXPECT_EQ(state.hugetlbfs_mount, "/dev/hugepages");
}

TEST(HugePageState, AKernelWithoutThemSaysNothing) {
  const FakeRoot root("thp_none");
  root.write("sys/kernel/mm/transparent_hugepage/enabled", "always madvise never\n");
  const HugePageState state = read_huge_page_state(root.path());
  EXPECT_EQ(state.mode, "");
  EXPECT_EQ(state.defrag, "");
  EXPECT_EQ(state.hugetlb_pages, 0u);
  EXPECT_EQ(state.hugetlbfs_mount, "");
}

TEST(HugePageState, FindsTheMappingOfAnAddress) {
  const FakeRoot root("smaps");
  root.write("smaps",
             "1000-3000 rw-p 00000000 00:00 0\nSize: 8 kB\nAnonHugePages:  2048 kB\nVmFlags: rd\n"
             "3000-5000 rw-p 00000000 00:00 0\nSize: 8 kB\nVmFlags: rd\n"
             "5000-9000 rw-p 00000000 00:00 0\nAnonHugePages:  4096 kB\nVmFlags: rd\n");
  const auto bytes_at = [&](uintptr_t address) { return anonymous_huge_bytes(root.path() / "smaps", address); };
  EXPECT_EQ(bytes_at(0x1000), 2u << 20);
  EXPECT_EQ(bytes_at(0x3000), 0u);  // not told: not those of the next mapping
  EXPECT_EQ(bytes_at(0x5fff), 4u << 20);
  EXPECT_EQ(bytes_at(0x9000), 0u);
  EXPECT_EQ(anonymous_huge_bytes(root.path() / "none", 0x1000), 0u);
}

TEST(HugePageProbe, GivesWhatTheModeAllows) {
  const HugePageProbe probe = probe_huge_pages();
  EXPECT_LE(probe.huge_bytes, probe.asked_bytes);
  if (read_huge_page_state().mode == "never") {
    EXPECT_EQ(probe.huge_bytes, 0u);
  }
}

}  // namespace
}  // namespace tribar
