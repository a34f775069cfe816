// How many more bytes this process may use before the system would refuse or kill it.
//
//   if (needed_bytes > available_memory_bytes()) ...refuse before anything is allocated...
//
// The smallest of what the machine can give without swapping (MemAvailable), what every memory cgroup above the
// process still allows (v1 and v2; reclaimable page cache does not count as used), and what is left of the address
// space limit (ulimit -v). Threads: any. Units: bytes. Errors: what cannot be read counts as no limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace tribar {

// `root` stands for / in tests.
uint64_t available_memory_bytes(const std::filesystem::path& root = "/");

// What the machine has, 0 if it does not tell.
uint64_t total_memory_bytes(const std::filesystem::path& root = "/");

// The smallest limit of the memory cgroups above the process, nullopt where none is below what the machine has.
std::optional<uint64_t> cgroup_memory_limit_bytes(const std::filesystem::path& root = "/");

}  // namespace tribar
