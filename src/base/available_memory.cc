#include "base/available_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace tribar {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

std::optional<uint64_t> read_number(const fs::path& path) {
  std::ifstream file(path);
  uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;  // absent, or "max"
}

// The number after `key` in a file of "key number" lines (a colon after the key is allowed).
uint64_t read_field(const fs::path& path, const std::string& key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key) || line.size() == key.size()) continue;
    const size_t digits = line.find_first_of("0123456789", key.size());
    if (digits == std::string::npos || line.find_first_not_of(": \t", key.size()) != digits) continue;
    uint64_t value = 0;
    for (size_t i = digits; i < line.size() && line[i] >= '0' && line[i] <= '9'; ++i) {
      value = value * 10 + static_cast<uint64_t>(line[i] - '0');
    }
    return value;
  }
  return 0;
}

uint64_t left_of(uint64_t limit, uint64_t used) { return limit > used ? limit - used : 0; }

uint64_t machine(const fs::path& root) {
  const uint64_t kib = read_field(root / "proc/meminfo", "MemAvailable");
  return kib == 0 ? kNoLimit : kib * 1024;
}

struct CgroupFiles {
  const char* limit;
  const char* usage;
  const char* cache_field;  // page cache that can be dropped, in memory.stat
};
constexpr CgroupFiles kV2{"memory.max", "memory.current", "inactive_file"};
constexpr CgroupFiles kV1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

uint64_t left_in_group(const fs::path& group, const CgroupFiles& files) {
  const std::optional<uint64_t> limit = read_number(group / files.limit);
  if (!limit) return kNoLimit;
  const uint64_t usage = read_number(group / files.usage).value_or(0);
  return left_of(*limit, left_of(usage, read_field(group / "memory.stat", files.cache_field)));
}

using GroupValue = uint64_t (*)(const fs::path& group, const CgroupFiles& files);

uint64_t limit_of_group(const fs::path& group, const CgroupFiles& files) {
  return read_number(group / files.limit).value_or(kNoLimit);
}

// Of the group, and every one above it up to the mount.
uint64_t smallest(const fs::path& mount, fs::path group, const CgroupFiles& files, GroupValue value) {
  uint64_t result = value(mount, files);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    result = std::min(result, value(mount / group, files));
  }
  return result;
}

uint64_t smallest_of_cgroups(const fs::path& root, GroupValue value) {
  std::ifstream membership(root / "proc/self/cgroup");  // lines "ID:CONTROLLERS:PATH"
  const fs::path mounts = root / "sys/fs/cgroup";
  uint64_t result = kNoLimit;
  std::string line;
  while (std::getline(membership, line)) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path group = line.substr(second + 1);
    if (controllers == ",,") {
      result = std::min({result, smallest(mounts, group, kV2, value), smallest(mounts / "unified", group, kV2, value)});
    } else if (controllers.find(",memory,") != std::string::npos) {
      result = std::min(result, smallest(mounts / "memory", group, kV1, value));
    }
  }
  return result;
}

uint64_t address_space(const fs::path& root) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
  const uint64_t pages = read_number(root / "proc/self/statm").value_or(0);
  return left_of(limit.rlim_cur, pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
}

}  // namespace

uint64_t available_memory_bytes(const fs::path& root) {
  return std::min({machine(root), smallest_of_cgroups(root, left_in_group), address_space(root)});
}

uint64_t total_memory_bytes(const fs::path& root) { return read_field(root / "proc/meminfo", "MemTotal") * 1024; }

std::optional<uint64_t> cgroup_memory_limit_bytes(const fs::path& root) {
  const uint64_t limit = smallest_of_cgroups(root, limit_of_group);
  // v1 has no "max": an unlimited group shows a number near 2^63.
  const uint64_t total = total_memory_bytes(root);
  if (limit == kNoLimit || (total > 0 && limit >= total)) return std::nullopt;
  return limit;
}

}  // namespace tribar
