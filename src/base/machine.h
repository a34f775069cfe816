// Machine: everything about the computer that decides how fast Tribar can be, as this process finds it now.
//
//   const Machine machine = read_machine();
//   machine.cpus.name, machine.threads, machine.memory_available_bytes
//
// Facts only: what is measured lies in kernel/machine_peaks.h. Takes some milliseconds (huge pages are tried out).
// Threads: any. Units: bytes. Errors: what cannot be read is empty, zero or "unknown".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_features.h"
#include "base/cpu_topology.h"
#include "base/huge_page_state.h"

namespace tribar {

struct Machine {
  CpuTopology cpus;
  CpuFeatures features;
  bool amx_permission = false;      // the kernel grants the tile registers
  std::vector<Isa> isas;            // levels of kernels that run here, ascending
  std::optional<double> cpu_quota;  // of the cgroups, in processors
  int threads = 1;                  // available_cpus(): what a command takes by default
  uint64_t memory_total_bytes = 0;
  std::optional<uint64_t> memory_limit_bytes;  // of the cgroups
  uint64_t memory_available_bytes = 0;
  HugePageState huge_pages;
  HugePageProbe huge_page_probe;
  std::string kernel_release;
  double load_average = 0;  // runnable threads of the last minute, this process's included
};

Machine read_machine();

}  // namespace tribar
