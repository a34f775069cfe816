#include "base/machine.h"

#include <sys/utsname.h>

#include <cstdlib>

#include "base/amx_permission.h"
#include "base/available_cpus.h"
#include "base/available_memory.h"

namespace tribar {
namespace {

// Levels are ordered: what runs here lies at or below the best that the processor has.
std::vector<Isa> supported_isas() {
  std::vector<Isa> isas;
  const Result<Isa> best = choose_isa(cpu_features(), std::nullopt);
  for (int level = 0; best.ok() && level <= static_cast<int>(*best); ++level) {
    if (isa_supported(static_cast<Isa>(level))) isas.push_back(static_cast<Isa>(level));
  }
  return isas;
}

}  // namespace

Machine read_machine() {
  Machine machine;
  machine.cpus = read_cpu_topology();
  machine.features = cpu_features();
  machine.amx_permission = request_amx_permission();
  machine.isas = supported_isas();
  machine.cpu_quota = cgroup_cpu_quota();
  machine.threads = available_cpus();
  machine.memory_total_bytes = total_memory_bytes();
  machine.memory_limit_bytes = cgroup_memory_limit_bytes();
  machine.memory_available_bytes = available_memory_bytes();
  machine.huge_pages = read_huge_page_state();
  machine.huge_page_probe = probe_huge_pages();
  utsname system{};
  machine.kernel_release = uname(&system) == 0 ? system.release : "unknown";
  double load = 0;
  if (getloadavg(&load, 1) == 1) machine.load_average = load;
  return machine;
}

}  // namespace tribar
