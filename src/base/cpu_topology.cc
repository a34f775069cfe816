#include "base/cpu_topology.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "base/available_cpus.h"

namespace tribar {
namespace {

namespace fs = std::filesystem;

constexpr auto kCpuFolder = "sys/devices/system/cpu";

std::string read_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "48K", "2048K", "32M" in bytes; 0 for what is no size.
uint64_t parse_size(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return 0;
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (value > UINT64_MAX >> 30) return 0;
  return unit == "K" ? value << 10 : unit == "M" ? value << 20 : unit == "G" ? value << 30 : value;
}

int parse_level(std::string_view text) {
  int level = 0;
  std::from_chars(text.data(), text.data() + text.size(), level);
  return level;
}

std::string read_name(const fs::path& root) {
  std::ifstream info(root / "proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const size_t colon = line.find(':');
    if (!line.starts_with("model name") || colon == std::string::npos) continue;
    const size_t begin = line.find_first_not_of(' ', colon + 1);
    if (begin != std::string::npos) return line.substr(begin);
  }
  return "unknown";
}

fs::path cpu_path(const fs::path& root, int cpu) { return root / kCpuFolder / ("cpu" + std::to_string(cpu)); }

std::vector<int> siblings(const fs::path& root, int cpu) {
  const fs::path topology = cpu_path(root, cpu) / "topology";
  std::vector<int> cpus = parse_cpu_list(read_line(topology / "core_cpus_list"));
  if (cpus.empty()) cpus = parse_cpu_list(read_line(topology / "thread_siblings_list"));  // before Linux 5.3
  if (cpus.empty()) cpus = {cpu};
  return cpus;
}

void read_cores(const fs::path& root, CpuTopology* topology) {
  std::set<int> cores;
  std::vector<int> later;
  for (int cpu : topology->allowed) {
    const bool first_of_core = cores.insert(siblings(root, cpu).front()).second;
    (first_of_core ? topology->spread : later).push_back(cpu);
  }
  topology->spread.insert(topology->spread.end(), later.begin(), later.end());
  topology->allowed_cores = std::max(1, static_cast<int>(cores.size()));
  for (int cpu : topology->online) {
    topology->threads_per_core = std::max(topology->threads_per_core, static_cast<int>(siblings(root, cpu).size()));
  }
}

// The caches of the first allowed processor; each counted over all that are online.
std::vector<CpuCache> read_caches(const fs::path& root, const CpuTopology& topology) {
  std::vector<CpuCache> caches;
  if (topology.allowed.empty()) return caches;
  for (int index = 0; index < 16; ++index) {
    const std::string folder = "cache/index" + std::to_string(index);
    const fs::path cache = cpu_path(root, topology.allowed.front()) / folder;
    const std::string type = read_line(cache / "type");
    if (type.empty()) break;
    if (type == "Instruction") continue;
    CpuCache found{.level = parse_level(read_line(cache / "level")),
                   .size_bytes = parse_size(read_line(cache / "size"))};
    found.sharing_cpus = std::max(1, static_cast<int>(parse_cpu_list(read_line(cache / "shared_cpu_list")).size()));
    std::set<int> instances;
    for (int cpu : topology.online) {
      const std::vector<int> shared = parse_cpu_list(read_line(cpu_path(root, cpu) / folder / "shared_cpu_list"));
      if (!shared.empty()) instances.insert(shared.front());
    }
    found.instances = std::max(1, static_cast<int>(instances.size()));
    if (found.level > 0 && found.size_bytes > 0) caches.push_back(found);
  }
  return caches;
}

std::vector<NumaNode> read_numa_nodes(const fs::path& root) {
  const fs::path folder = root / "sys/devices/system/node";
  std::vector<NumaNode> nodes;
  for (int id : parse_cpu_list(read_line(folder / "online"))) {
    std::vector<int> cpus = parse_cpu_list(read_line(folder / ("node" + std::to_string(id)) / "cpulist"));
    if (!cpus.empty()) nodes.push_back({id, std::move(cpus)});
  }
  return nodes;
}

}  // namespace

CpuTopology read_cpu_topology(const fs::path& root, std::vector<int> allowed) {
  CpuTopology topology;
  topology.name = read_name(root);
  topology.online = parse_cpu_list(read_line(root / kCpuFolder / "online"));
  if (topology.online.empty()) topology.online = allowed;
  topology.allowed = std::move(allowed);
  read_cores(root, &topology);
  topology.numa_nodes = read_numa_nodes(root);
  topology.caches = read_caches(root, topology);
  return topology;
}

CpuTopology read_cpu_topology() {
  CpuTopology topology = read_cpu_topology("/", affinity_cpus());
  if (topology.caches.empty()) topology.caches = cpuid_caches();
  std::ranges::sort(topology.caches, {}, &CpuCache::level);
  return topology;
}

}  // namespace tribar
