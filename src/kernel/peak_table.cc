// Reading MachinePeaks: which figure is the ceiling for what.
#include <algorithm>

#include "kernel/machine_peaks.h"

namespace tribar::kernel {
namespace {

double between(double x, double x0, double y0, double x1, double y1) { return y0 + (x - x0) / (x1 - x0) * (y1 - y0); }

Measured between(int threads, int fewer, const Measured& low, int more, const Measured& high) {
  if (threads <= fewer || more <= fewer) return low;
  if (threads >= more) return high;
  return {between(threads, fewer, low.best, more, high.best), between(threads, fewer, low.median, more, high.median)};
}

}  // namespace

Measured MachinePeaks::stream_at(int threads) const {
  if (stream.empty()) return {};
  const auto more = std::ranges::lower_bound(stream, threads, {}, &StreamPeak::threads);
  if (more == stream.begin()) return more->gbps;
  if (more == stream.end()) return stream.back().gbps;
  const StreamPeak& fewer = *(more - 1);
  return between(threads, fewer.threads, fewer.gbps, more->threads, more->gbps);
}

const ComputePeak* MachinePeaks::find(Arithmetic arithmetic, std::string_view name) const {
  const auto it = std::ranges::find_if(
      compute, [&](const ComputePeak& peak) { return peak.arithmetic == arithmetic && peak.name == name; });
  return it == compute.end() ? nullptr : &*it;
}

const ComputePeak* MachinePeaks::best(Arithmetic arithmetic) const {
  const ComputePeak* best = nullptr;
  for (const ComputePeak& peak : compute) {
    if (peak.arithmetic != arithmetic) continue;
    if (best == nullptr || peak.all_threads.best > best->all_threads.best) best = &peak;
  }
  return best;
}

Measured rate_at(const ComputePeak& peak, int all_threads, int threads) {
  return between(threads, 1, peak.one_thread, all_threads, peak.all_threads);
}

std::string_view int8_peak_name(Isa isa) {
  if (isa < Isa::kAvx2) return "sse2";
  return isa < Isa::kAvx512 ? "avx2" : "avx512_vnni";
}

uint64_t stream_buffer_bytes(const std::vector<CpuCache>& caches, uint64_t available_bytes) {
  constexpr uint64_t kSmallest = uint64_t{1} << 30;
  constexpr uint64_t kPageBytes = uint64_t{2} << 20;
  uint64_t last_level = 0;
  for (const CpuCache& cache : caches) {
    if (cache.level >= 3) last_level = std::max(last_level, cache.size_bytes * static_cast<uint64_t>(cache.instances));
  }
  const uint64_t wanted = std::min(std::max(kSmallest, 2 * last_level), available_bytes / 4);
  return wanted / kPageBytes * kPageBytes;
}

std::vector<int> stream_thread_counts(int most) {
  std::vector<int> counts;
  for (int n = 1; n < most; n += n < 16 ? 1 : n / 4) counts.push_back(n);
  counts.push_back(std::max(1, most));
  return counts;
}

}  // namespace tribar::kernel
