// HugePageState: whether this system gives 2 MiB pages, as it says and as it does.
//
//   const HugePageState state = read_huge_page_state();
//   if (state.mode == "never") ...                    // transparent huge pages are off
//   const HugePageProbe probe = probe_huge_pages();   // a HugeBuffer is touched, smaps tells what came
//
// Source: Linux Documentation/admin-guide/mm/transhuge.rst, filesystems/proc.rst (smaps).
// Threads: any. Units: bytes. Errors: what cannot be read is empty or zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tribar {

struct HugePageState {
  std::string mode;                 // always, madvise, never; "" if the kernel has none
  std::string defrag;               // always, defer, defer+madvise, madvise, never
  uint64_t hugetlb_page_bytes = 0;  // of the default size
  uint64_t hugetlb_pages = 0;       // reserved by the administrator; Tribar does not need them
  uint64_t hugetlb_free_pages = 0;
  std::string hugetlbfs_mount;  // where, "" if nowhere
};

// `root` stands for / in tests.
HugePageState read_huge_page_state(const std::filesystem::path& root = "/");

struct HugePageProbe {
  uint64_t asked_bytes = 0;  // 0: there was no memory to try with
  uint64_t huge_bytes = 0;   // of them, what lies on huge pages
};

// Allocates 16 MiB as weights are, writes to every page, asks the kernel, and frees it.
HugePageProbe probe_huge_pages();

// AnonHugePages of the mapping that holds `address`, from /proc/self/smaps.
uint64_t anonymous_huge_bytes(const std::filesystem::path& smaps, uintptr_t address);

}  // namespace tribar
