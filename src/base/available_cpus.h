// How many processors this process may really use.
//
//   ThreadTeam team(available_cpus());
//
// The affinity mask (which holds the cpuset), cut by the CPU quota of every cgroup above the process (v1 and v2),
// rounded down, at least 1. A thread more than the quota pays for would be throttled in the middle of a step, and all
// others would wait for it at the next barrier.
// Threads: any. Errors: what cannot be read counts as no limit.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace tribar {

int available_cpus();

// The processors of the affinity mask, ascending; empty if the system does not tell.
std::vector<int> affinity_cpus();

// The quota alone, in processors (1.5 = one and a half), nullopt when there is none. `root` stands for / in tests.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root = "/");

}  // namespace tribar
