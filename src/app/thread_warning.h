// Says loudly that more threads were asked for than the machine pays for: the one mistake that makes Tribar slow
// without an error. Every command that takes -t calls it before it loads.
//
//   warn_of_threads(options.threads);   // to stderr; nothing for 0 or what is allowed
//
// Threads: any.
#pragma once

#include <optional>
#include <string>

namespace tribar::app {

struct CpuAllowance {
  int threads = 1;              // available_cpus()
  int cpus = 1;                 // of the affinity mask
  std::optional<double> quota;  // of the cgroups, in processors
};
CpuAllowance cpu_allowance();

// nullopt when `threads` is within the allowance. One sentence of what happens, one of what to do.
std::optional<std::string> thread_warning(int threads, const CpuAllowance& allowance);

void warn_of_threads(int threads);

}  // namespace tribar::app
