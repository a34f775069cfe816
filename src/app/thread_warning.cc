#include "app/thread_warning.h"

#include <cstdio>

#include "app/terminal.h"
#include "base/available_cpus.h"

namespace tribar::app {
namespace {

std::string processors(double count) {
  char text[48];
  std::snprintf(text, sizeof text, "%.4g processor%s", count, count == 1 ? "" : "s");
  return text;
}

}  // namespace

CpuAllowance cpu_allowance() {
  const auto listed = static_cast<int>(affinity_cpus().size());
  const int threads = available_cpus();
  return {threads, listed > 0 ? listed : threads, cgroup_cpu_quota()};
}

std::optional<std::string> thread_warning(int threads, const CpuAllowance& allowance) {
  if (threads <= allowance.threads) return std::nullopt;
  const bool quota_binds = allowance.quota && *allowance.quota < allowance.cpus;
  const std::string reason =
      quota_binds ? "the cgroup quota pays for " + processors(*allowance.quota) +
                        ": the system will stop all of them in the middle of a step"
                  : "this process may use " + processors(allowance.cpus) + ": they will wait for each other";
  return std::to_string(threads) + " threads, but " + reason + ". Expect less speed, not more; -t " +
         std::to_string(allowance.threads) + " or no -t at all is right here.";
}

void warn_of_threads(int threads) {
  if (threads <= 0) return;
  const std::optional<std::string> warning = thread_warning(threads, cpu_allowance());
  if (!warning) return;
  const Style style = Style::for_stream(stderr);
  std::fprintf(stderr, "%s%stribar: warning:%s %s\n", style.bold(), style.red(), style.reset(), warning->c_str());
}

}  // namespace tribar::app
