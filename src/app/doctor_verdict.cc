#include "app/doctor_verdict.h"

#include <algorithm>
#include <cstdio>

#include "app/inspect_report.h"
#include "app/thread_warning.h"

namespace tribar::app {
namespace {

std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

class Judge {
 public:
  explicit Judge(const Diagnosis& d) : d_(d), m_(d.machine), peaks_(d.profile.peaks) {}

  std::vector<Advice> advice() {
    kernels();
    threads();
    cores();
    huge_pages();
    memory();
    speed();
    features();
    std::ranges::stable_sort(advice_, {}, &Advice::severity);
    return std::move(advice_);
  }

 private:
  void add(Severity severity, const char* id, std::string text, std::string command = "") {
    advice_.push_back({severity, id, std::move(text), std::move(command)});
  }

  void kernels() {
    for (Isa isa : m_.isas) {
      std::string names;
      for (const kernel::KernelCheck& check : d_.checks) {
        if (check.isa == isa && !check.passed()) names += (names.empty() ? "" : ", ") + check.name;
      }
      if (names.empty()) continue;
      add(Severity::kError, "kernels_wrong",
          "Kernels of " + std::string(isa_name(isa)) + " compute wrongly here: " + names +
              ". Answers cannot be trusted; use a level that passes and report this.",
          "export TRIBAR_FORCE_ISA=" + std::string(isa_name(sound_isa())));
    }
  }

  // The best level without a failure.
  Isa sound_isa() const {
    Isa sound = Isa::kReference;
    for (Isa isa : m_.isas) {
      const bool failed = std::ranges::any_of(
          d_.checks, [&](const kernel::KernelCheck& check) { return check.isa == isa && !check.passed(); });
      if (!failed) sound = isa;
    }
    return sound;
  }

  void threads() {
    const auto cpus = static_cast<int>(m_.cpus.allowed.size());
    const std::optional<std::string> warning =
        thread_warning(d_.wanted_threads, {m_.threads, std::max(cpus, m_.threads), m_.cpu_quota});
    if (warning)
      add(Severity::kWarning, "threads_above_allowance", *warning, "tribar run MODEL -t " + default_threads());
    if (m_.cpu_quota && *m_.cpu_quota < cpus) {
      add(Severity::kWarning, "quota_below_cpus",
          "The cgroup quota pays for " + decimal(*m_.cpu_quota) + " of " + std::to_string(cpus) +
              " processors, so Tribar takes " + default_threads() + " thread" + (m_.threads == 1 ? "" : "s") +
              "; more would be stopped in the middle of a step. A quota in whole processors wastes nothing.",
          "docker update --cpus " + std::to_string(cpus) + " CONTAINER");
    }
    if (cpus > 0 && cpus < static_cast<int>(m_.cpus.online.size())) {
      add(Severity::kNote, "affinity_below_online",
          "This process may run on " + std::to_string(cpus) + " of " + std::to_string(m_.cpus.online.size()) +
              " processors (affinity or cpuset).",
          "taskset -c " + cpu_list_text(m_.cpus.online) + " tribar run MODEL");
    }
  }

  void cores() {
    const int cores = m_.cpus.allowed_cores;
    if (m_.threads > cores) {
      add(Severity::kNote, "smt_siblings",
          std::to_string(m_.threads) + " threads share " + std::to_string(cores) +
              " physical cores; one thread a core is often as fast for decode. Measure both.",
          "tribar bench MODEL -t " + std::to_string(cores) + "," + default_threads());
    }
    std::vector<int> nodes;
    for (const NumaNode& node : m_.cpus.numa_nodes) {
      const bool used =
          std::ranges::any_of(node.cpus, [&](int cpu) { return std::ranges::count(m_.cpus.allowed, cpu); });
      if (used) nodes.push_back(node.id);
    }
    if (nodes.size() > 1) {
      const std::string node = std::to_string(nodes.front());
      add(Severity::kNote, "numa_nodes",
          "The allowed processors lie on " + std::to_string(nodes.size()) +
              " NUMA nodes; a model that fits into one node's memory is often faster on that node alone.",
          "numactl --cpunodebind=" + node + " --membind=" + node + " tribar run MODEL");
    }
  }

  void huge_pages() {
    if (m_.huge_pages.mode == "never") {
      add(Severity::kWarning, "huge_pages_off",
          "Transparent huge pages are off; reading weights on 4 KiB pages costs 25 to 60 % of the read stream.",
          "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
    } else if (m_.huge_pages.mode.empty()) {
      add(Severity::kNote, "huge_pages_unknown", "This kernel does not say whether it has transparent huge pages.");
    }
    const bool given = m_.huge_page_probe.huge_bytes * 2 >= m_.huge_page_probe.asked_bytes;
    if (given || m_.huge_pages.mode == "never" || m_.huge_pages.mode.empty()) return;
    const bool never_waits = m_.huge_pages.defrag == "never" || m_.huge_pages.defrag == "defer";
    add(Severity::kWarning, "huge_pages_not_given",
        "Huge pages are allowed, but a test allocation got " + format_bytes(m_.huge_page_probe.huge_bytes) + " of " +
            format_bytes(m_.huge_page_probe.asked_bytes) + " on them: memory is fragmented or its cgroup is full.",
        never_waits ? "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/defrag"
                    : "echo 1 | sudo tee /proc/sys/vm/compact_memory");
  }

  void memory() {
    constexpr uint64_t kLittle = uint64_t{2} << 30;
    if (m_.memory_available_bytes < kLittle) {
      add(Severity::kWarning, "little_memory",
          "Only " + format_bytes(m_.memory_available_bytes) +
              " of memory are available; models of more than about half a billion parameters will not fit.",
          m_.memory_limit_bytes ? "docker update --memory 8g --memory-swap 8g CONTAINER" : "ps aux --sort=-rss | head");
    } else if (m_.memory_limit_bytes) {
      add(Severity::kNote, "memory_limit",
          "The cgroup limits memory to " + format_bytes(*m_.memory_limit_bytes) + " of " +
              format_bytes(m_.memory_total_bytes) + "; a model must fit into that.");
    }
  }

  void speed() {
    const kernel::Measured one = peaks_.stream_at(1);
    const kernel::Measured all = peaks_.stream_at(peaks_.threads);
    if (one.best > 0 && one.best < 6) {
      add(Severity::kWarning, "slow_stream",
          "One thread reads only " + decimal(one.best) +
              " GB/s from memory (10 to 30 are usual); decode is bound by it. Other programs or virtual machines use "
              "the "
              "memory bus, or huge pages are missing.");
    }
    if (peaks_.threads > 1 && all.best < 1.2 * one.best) {
      add(Severity::kNote, "stream_does_not_scale",
          std::to_string(peaks_.threads) + " threads read no faster than one (" + decimal(all.best) + " against " +
              decimal(one.best) + " GB/s), so decode will not gain from threads.",
          "tribar bench MODEL -p 0 -t 1," + std::to_string(peaks_.threads));
    }
    const kernel::ComputePeak* int8 = peaks_.best(kernel::Arithmetic::kInt8);
    const int cores = std::min(peaks_.threads, m_.cpus.allowed_cores);
    if (int8 != nullptr && int8->all_threads.best < 0.7 * cores * int8->one_thread.best) {
      add(Severity::kWarning, "threads_do_not_scale",
          std::to_string(peaks_.threads) + " threads compute only " +
              decimal(int8->all_threads.best / int8->one_thread.best) +
              " times as fast as one: the processors are shared with other programs, or are two halves of one core.",
          "top");
    }
    if (was_disturbed(d_.profile)) {
      add(Severity::kNote, "measured_busy", "Something else was running while this was measured; figures may be low.",
          "tribar doctor --refresh");
    }
  }

  void features() {
    if (d_.forced_isa && !m_.isas.empty() && d_.isa != m_.isas.back()) {
      add(Severity::kWarning, "forced_isa",
          "TRIBAR_FORCE_ISA=" + *d_.forced_isa + " holds Tribar below " + std::string(isa_name(m_.isas.back())) +
              ", which this machine has.",
          "unset TRIBAR_FORCE_ISA");
    }
    const CpuFeatures& f = m_.features;
    if (!f.avx2) {
      add(Severity::kWarning, "no_avx2",
          "The processor (or the virtual machine) has no AVX2 with FMA and F16C: only portable kernels run, several "
          "times slower. A virtual machine may be hiding it; give it the host's processor model.",
          "qemu-system-x86_64 -cpu host ...");
    } else if (!f.avx512_vnni && !f.avx_vnni) {
      add(Severity::kNote, "no_vnni", "The processor has no VNNI: int8 runs at about half the rate, in AVX2 form.");
    }
    if (f.amx_tile && !m_.amx_permission) {
      add(Severity::kWarning, "amx_not_permitted",
          "The processor has AMX, but the kernel (" + m_.kernel_release +
              ") does not grant its tiles; Linux 5.16 or newer does.",
          "uname -r");
    }
  }

  std::string default_threads() const { return std::to_string(m_.threads); }

  const Diagnosis& d_;
  const Machine& m_;
  const kernel::MachinePeaks& peaks_;
  std::vector<Advice> advice_;
};

}  // namespace

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kError: return "error";
    case Severity::kWarning: return "warning";
    case Severity::kNote: return "note";
  }
  return "unknown";
}

std::vector<Advice> judge(const Diagnosis& diagnosis) { return Judge(diagnosis).advice(); }

}  // namespace tribar::app
