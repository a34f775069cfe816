#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "app/doctor_report.h"
#include "app/inspect_report.h"

namespace tribar::app {
namespace {

using kernel::Arithmetic;

class TextReport {
 public:
  TextReport(const DoctorFindings& findings, const Style& style)
      : findings_(findings), d_(findings.diagnosis), m_(d_.machine), style_(style) {}

  std::string text() {
    processor();
    memory();
    peaks();
    self_test();
    verdict();
    return std::move(text_);
  }

 private:
  __attribute__((format(printf, 2, 3))) void line(const char* format, ...) {
    char buffer[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    text_ += buffer;
    text_ += '\n';
  }
  void heading(const char* name) { line("%s%s%s%s", text_.empty() ? "" : "\n", style_.bold(), name, style_.reset()); }

  void processor() {
    heading("Processor");
    line("  name         %s", m_.cpus.name.c_str());
    line("  features     %s", describe_cpu_features(m_.features).c_str());
    if (m_.features.amx_tile) line("  AMX tiles    %s by the kernel", m_.amx_permission ? "granted" : "not granted");
    line("  kernels      %s (%s)", std::string(isa_name(d_.isa)).c_str(),
         d_.forced_isa ? ("TRIBAR_FORCE_ISA=" + *d_.forced_isa).c_str() : "the best level that this machine has");
    line("  processors   %zu online (%s), %zu allowed (%s) on %d core%s, %d thread%s a core", m_.cpus.online.size(),
         cpu_list_text(m_.cpus.online).c_str(), m_.cpus.allowed.size(), cpu_list_text(m_.cpus.allowed).c_str(),
         m_.cpus.allowed_cores, m_.cpus.allowed_cores == 1 ? "" : "s", m_.cpus.threads_per_core,
         m_.cpus.threads_per_core == 1 ? "" : "s");
    if (m_.cpu_quota) {
      line("  quota        %.4g processors (cgroup)", *m_.cpu_quota);
    } else {
      line("  quota        none");
    }
    line("  threads      %d by default", m_.threads);
    for (const NumaNode& node : m_.cpus.numa_nodes) {
      line("  NUMA node %-2d %s", node.id, cpu_list_text(node.cpus).c_str());
    }
    for (const CpuCache& cache : m_.cpus.caches) {
      line("  L%d cache     %s, shared by %d, %d in all", cache.level, kibibytes(cache.size_bytes).c_str(),
           cache.sharing_cpus, cache.instances);
    }
  }

  void memory() {
    heading("Memory");
    line("  total        %s", format_bytes(m_.memory_total_bytes).c_str());
    line("  limit        %s", m_.memory_limit_bytes ? format_bytes(*m_.memory_limit_bytes).c_str() : "none");
    line("  available    %s", format_bytes(m_.memory_available_bytes).c_str());
    line("  huge pages   %s, defrag %s; a test allocation got %s of %s on them", or_unknown(m_.huge_pages.mode),
         or_unknown(m_.huge_pages.defrag), format_bytes(m_.huge_page_probe.huge_bytes).c_str(),
         format_bytes(m_.huge_page_probe.asked_bytes).c_str());
    const HugePageState& huge = m_.huge_pages;
    line("  hugetlbfs    %llu pages reserved, %s%s (not needed)", static_cast<unsigned long long>(huge.hugetlb_pages),
         huge.hugetlbfs_mount.empty() ? "not mounted" : "at ", huge.hugetlbfs_mount.c_str());
  }

  void peaks() {
    const kernel::MachinePeaks& peaks = d_.profile.peaks;
    heading("Peaks (best, median)");
    line("  measured     %s%s", d_.profile.measured_at.c_str(),
         findings_.from_cache ? ", from the cache; --refresh measures again" : "");
    const std::string all = std::to_string(peaks.threads) + (peaks.threads == 1 ? " thread" : " threads");
    line("  %-32s %21s %21s", "GOP/s", "1 thread", all.c_str());
    for (Arithmetic arithmetic : {Arithmetic::kInt8, Arithmetic::kBf16, Arithmetic::kFp32}) {
      for (const kernel::ComputePeak& peak : peaks.compute) {
        if (peak.arithmetic != arithmetic) continue;
        const std::string name = std::string(arithmetic == Arithmetic::kInt8   ? "int8 "
                                             : arithmetic == Arithmetic::kBf16 ? "bf16 "
                                                                               : "fp32 ") +
                                 peak.name + ": " + peak.instruction;
        line("  %-32s %10.1f %10.1f %10.1f %10.1f", name.c_str(), peak.one_thread.best, peak.one_thread.median,
             peak.all_threads.best, peak.all_threads.median);
      }
    }
    for (const kernel::CachePeak& peak : peaks.caches) {
      line("  read L%d, %-9s %12.1f %10.1f GB/s a core", peak.level, kibibytes(peak.buffer_bytes).c_str(),
           peak.gbps.best, peak.gbps.median);
    }
    for (const kernel::StreamPeak& peak : peaks.stream) {
      line("  read memory, -t %-3d %11.1f %10.1f GB/s (buffer of %s)", peak.threads, peak.gbps.best, peak.gbps.median,
           kibibytes(peaks.stream_bytes).c_str());
    }
    line("  barrier, -t %-3d %15.2f %10.2f µs", peaks.threads, peaks.barrier_us.best, peaks.barrier_us.median);
  }

  void self_test() {
    heading("Kernels against the reference");
    for (Isa isa : m_.isas) {
      const auto of_isa = [&](const kernel::KernelCheck& check) { return check.isa == isa; };
      const auto failed = [&](const kernel::KernelCheck& check) { return check.isa == isa && !check.passed(); };
      const auto count = std::ranges::count_if(d_.checks, of_isa);
      const auto failures = std::ranges::count_if(d_.checks, failed);
      line("  %-12s %s%s%s  %td of %td", std::string(isa_name(isa)).c_str(),
           failures > 0 ? style_.red() : style_.green(), failures > 0 ? "FAIL" : "PASS", style_.reset(),
           count - failures, count);
      for (const kernel::KernelCheck& check : d_.checks) {
        if (failed(check)) {
          line("    FAIL %s: error %.3g, tolerance %.3g (%s)", check.name.c_str(), check.error, check.tolerance,
               check.unit.c_str());
        }
      }
    }
  }

  void verdict() {
    const std::string name(verdict_name(findings_.advice));
    heading(("Verdict: " + name).c_str());
    for (const Advice& advice : findings_.advice) {
      line("  %s%s:%s %s", advice.severity == Severity::kError ? style_.red() : style_.bold(),
           std::string(severity_name(advice.severity)).c_str(), style_.reset(), advice.text.c_str());
      if (!advice.command.empty()) line("    $ %s", advice.command.c_str());
    }
    if (findings_.advice.empty()) line("  Nothing to change.");
  }

  static const char* or_unknown(const std::string& word) { return word.empty() ? "unknown" : word.c_str(); }

  // Caches come in powers of two.
  static std::string kibibytes(uint64_t bytes) {
    char text[32];
    const auto kib = static_cast<double>(bytes) / 1024;
    std::snprintf(text, sizeof text, kib >= 1024 ? "%.4g MiB" : "%.4g KiB", kib >= 1024 ? kib / 1024 : kib);
    return text;
  }

  const DoctorFindings& findings_;
  const Diagnosis& d_;
  const Machine& m_;
  const Style& style_;
  std::string text_;
};

}  // namespace

std::string_view verdict_name(const std::vector<Advice>& advice) {
  const auto has = [&](Severity severity) {
    return std::ranges::any_of(advice, [&](const Advice& a) { return a.severity == severity; });
  };
  if (has(Severity::kError)) return "bad";
  return has(Severity::kWarning) ? "could be faster" : "good";
}

std::string doctor_text(const DoctorFindings& findings, const Style& style) {
  return TextReport(findings, style).text();
}

}  // namespace tribar::app
