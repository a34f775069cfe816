// CpuTopology: which processors there are, which this process may use, and what they share.
//
//   const CpuTopology cpus = read_cpu_topology();
//   for (const CpuCache& cache : cpus.caches) ... cache.level, cache.size_bytes, cache.sharing_cpus
//
// From sysfs (Documentation/ABI/testing/sysfs-devices-system-cpu, sysfs-devices-node); where it does not list caches,
// from CPUID (leaf 4, on AMD 0x8000001d). Threads: any. Units: bytes. Errors: what cannot be read is empty, zero or
// one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tribar {

// A data or unified cache, as one processor sees it.
struct CpuCache {
  int level = 0;
  uint64_t size_bytes = 0;
  int sharing_cpus = 1;  // processors, hyperthreads counted, that have this cache in common
  int instances = 1;     // of this cache among the online processors
  bool operator==(const CpuCache&) const = default;
};

struct NumaNode {
  int id = 0;
  std::vector<int> cpus;
  bool operator==(const NumaNode&) const = default;
};

struct CpuTopology {
  std::string name;          // as the maker writes it, "unknown" if the system does not tell
  std::vector<int> online;   // processors of the machine
  std::vector<int> allowed;  // of them, what affinity and cpuset leave to this process
  std::vector<int>
      spread;             // the same, one of every core before a second of any: the order to give threads their places
  int allowed_cores = 1;  // physical cores that the allowed processors lie on
  int threads_per_core = 1;  // most online processors on one core (SMT)
  std::vector<NumaNode> numa_nodes;
  std::vector<CpuCache> caches;  // by level
};

// `root` stands for / in tests; `allowed` is affinity_cpus().
CpuTopology read_cpu_topology(const std::filesystem::path& root, std::vector<int> allowed);
CpuTopology read_cpu_topology();

// Data and unified caches by CPUID; empty where it does not tell. sharing_cpus is the most that the design allows.
std::vector<CpuCache> cpuid_caches();

// "0-3,8" as {0, 1, 2, 3, 8}; empty for what is no such list.
std::vector<int> parse_cpu_list(std::string_view text);
// The reverse.
std::string cpu_list_text(const std::vector<int>& cpus);

}  // namespace tribar
