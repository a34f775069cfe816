#include "base/available_cpus.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

namespace tribar {
namespace {

namespace fs = std::filesystem;

std::optional<double> smaller(std::optional<double> a, std::optional<double> b) {
  if (!a) return b;
  if (!b) return a;
  return std::min(*a, *b);
}

// v2: one file "QUOTA PERIOD" or "max PERIOD".
std::optional<double> quota_v2(const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  double quota_us = 0;
  double period_us = 0;
  if (!(file >> quota_us >> period_us) || quota_us <= 0 || period_us <= 0) return std::nullopt;
  return quota_us / period_us;
}

// v1: two files; a quota of -1 is none.
std::optional<double> quota_v1(const fs::path& group) {
  std::ifstream quota_file(group / "cpu.cfs_quota_us");
  std::ifstream period_file(group / "cpu.cfs_period_us");
  double quota_us = 0;
  double period_us = 0;
  if (!(quota_file >> quota_us) || !(period_file >> period_us) || quota_us <= 0 || period_us <= 0) return std::nullopt;
  return quota_us / period_us;
}

// The smallest quota from `group` up to the root of the hierarchy mounted at `mount`. In a container the path may name
// folders of the host that are not visible here; they read as no limit, and the root then is the container's own group.
template <typename Quota>
std::optional<double> smallest_quota(const fs::path& mount, fs::path group, Quota quota) {
  std::optional<double> result = quota(mount);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    result = smaller(result, quota(mount / group));
  }
  return result;
}

bool lists_cpu(const std::string& controllers) { return ("," + controllers + ",").find(",cpu,") != std::string::npos; }

}  // namespace

std::optional<double> cgroup_cpu_quota(const fs::path& root) {
  // Lines "ID:CONTROLLERS:PATH"; the v2 hierarchy has ID 0 and no controllers.
  std::ifstream membership(root / "proc/self/cgroup");
  const fs::path mounts = root / "sys/fs/cgroup";
  std::optional<double> result;
  std::string line;
  while (std::getline(membership, line)) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (controllers.empty()) {
      result = smaller(result, smallest_quota(mounts, group, quota_v2));
      result = smaller(result, smallest_quota(mounts / "unified", group, quota_v2));
    } else if (lists_cpu(controllers)) {
      result = smaller(result, smallest_quota(mounts / controllers, group, quota_v1));
      result = smaller(result, smallest_quota(mounts / "cpu", group, quota_v1));
    }
  }
  return result;
}

std::vector<int> affinity_cpus() {
  // The mask must be as wide as the kernel's; 1024 is the usual, larger machines need more.
  std::vector<int> cpus;
  for (int width = 1024; width <= 1 << 20 && cpus.empty(); width *= 2) {
    cpu_set_t* set = CPU_ALLOC(width);
    if (set == nullptr) break;
    const size_t bytes = CPU_ALLOC_SIZE(width);
    if (sched_getaffinity(0, bytes, set) == 0) {
      for (int cpu = 0; cpu < width; ++cpu) {
        if (CPU_ISSET_S(cpu, bytes, set)) cpus.push_back(cpu);
      }
    }
    CPU_FREE(set);
  }
  return cpus;
}

int available_cpus() {
  const size_t listed = affinity_cpus().size();
  const int allowed = static_cast<int>(listed > 0 ? listed : std::max(1U, std::thread::hardware_concurrency()));
  const std::optional<double> quota = cgroup_cpu_quota();
  if (!quota || *quota >= allowed) return allowed;
  return std::max(1, static_cast<int>(*quota));
}

}  // namespace tribar
