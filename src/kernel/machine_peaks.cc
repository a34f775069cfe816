#include "kernel/machine_peaks.h"

#include <sched.h>

#include <algorithm>
#include <cstring>

#include "base/amx_permission.h"
#include "base/cpu_features.h"
#include "base/huge_pages.h"
#include "base/stopwatch.h"
#include "base/thread_team.h"

namespace tribar::kernel {
namespace {

#if defined(__x86_64__)

// What every x86-64 has.
void sse2_int8(int64_t rounds) {
  for (int64_t i = 0; i < rounds; ++i) {
#define TRIBAR_CHAIN(n) "movdqa %%xmm12, %%xmm13\n\tpmaddwd %%xmm12, %%xmm13\n\tpaddd %%xmm13, %%xmm" #n "\n\t"
    asm volatile(TRIBAR_CHAIN(0) TRIBAR_CHAIN(1) TRIBAR_CHAIN(2) TRIBAR_CHAIN(3) TRIBAR_CHAIN(4) TRIBAR_CHAIN(5)
                 :
                 :
                 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm12", "xmm13");
#undef TRIBAR_CHAIN
  }
}

void sse2_read(const std::byte* data, size_t bytes) {
  for (const std::byte* const end = data + bytes; data < end; data += 64) {
    asm volatile(
        "movdqa 0(%0), %%xmm0\n\t"
        "movdqa 16(%0), %%xmm1\n\t"
        "movdqa 32(%0), %%xmm2\n\t"
        "movdqa 48(%0), %%xmm3\n\t"
        :
        : "r"(data)
        : "xmm0", "xmm1", "xmm2", "xmm3", "memory");
  }
}

constexpr PeakLoop kSse2Int8{Arithmetic::kInt8, "sse2", "pmaddwd + paddd xmm", int64_t{2} * 8 * 6, sse2_int8};

ReadLoop read_loop() {
  if (isa_supported(Isa::kAvx512)) return avx512::read_memory;
  return isa_supported(Isa::kAvx2) ? avx2::read_memory : sse2_read;
}

#else

void plain_read(const std::byte* data, size_t bytes) {
  for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, data + i, sizeof word);
    asm volatile("" : : "r"(word));
  }
}

ReadLoop read_loop() { return plain_read; }

#endif

// Best and median of what the trials gave.
Measured summary(std::vector<double> values, bool (*better)(double, double)) {
  if (values.empty()) return {};
  std::ranges::sort(values, better);
  return {values.front(), values[values.size() / 2]};
}
bool higher(double a, double b) { return a > b; }
bool lower(double a, double b) { return a < b; }

// While one lives each member of the team stays on its processor: otherwise the system may wake two of them on one, and
// two threads seem as fast as one. Teams must be made before: a new thread starts where its maker may run.
class Pinned {
 public:
  Pinned(ThreadTeam* team, const std::vector<int>& cpus) {
    pinned_ = !cpus.empty() && sched_getaffinity(0, sizeof before_, &before_) == 0;
    if (!pinned_) return;
    team->run([&](Shard shard) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(static_cast<size_t>(cpus[static_cast<size_t>(shard.index) % cpus.size()]), &one);
      sched_setaffinity(0, sizeof one, &one);  // of the calling thread; where it is refused, the system decides
    });
  }
  ~Pinned() {
    if (pinned_) sched_setaffinity(0, sizeof before_, &before_);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  cpu_set_t before_{};
  bool pinned_ = false;
};

constexpr double kTrialUs = 3000;  // of one trial of arithmetic: long beside a timer's tick and a team's start
constexpr int kTrials = 9;

// GOP/s of all members together.
Measured compute_gops(const PeakLoop& loop, ThreadTeam* team) {
  const auto elapsed_us = [&](int64_t rounds) {
    const Stopwatch watch;
    team->run([&](Shard) { loop.run(rounds); });
    return watch.elapsed_us();
  };
  // Rounds that take a trial's time; the search warms up clocks and, where it matters, the wide units.
  int64_t rounds = 1000;
  double us = elapsed_us(rounds);
  while (us < kTrialUs) {
    rounds =
        us < kTrialUs / 8 ? rounds * 4 : static_cast<int64_t>(1.1 * static_cast<double>(rounds) * kTrialUs / us) + 1;
    us = elapsed_us(rounds);
  }
  std::vector<double> gops;
  for (int i = 0; i < kTrials; ++i) {
    const double ops = static_cast<double>(rounds) * static_cast<double>(loop.ops_per_round) * team->size();
    gops.push_back(1e-3 * ops / elapsed_us(rounds));
  }
  return summary(gops, higher);
}

constexpr double kStreamUs = 400e3;  // of one number of threads, when trials are short

Measured stream_gbps(const HugeBuffer& buffer, ReadLoop read, ThreadTeam* team) {
  const auto pass_us = [&] {
    const Stopwatch watch;
    team->run([&](Shard shard) {
      const auto [begin, end] = shard.range(static_cast<int64_t>(buffer.size()), 4096);
      read(buffer.data() + begin, static_cast<size_t>(end - begin));
    });
    return watch.elapsed_us();
  };
  pass_us();
  std::vector<double> gbps;
  const Stopwatch total;
  while (gbps.size() < 3 || (gbps.size() < 9 && total.elapsed_us() < kStreamUs)) {
    gbps.push_back(1e-3 * static_cast<double>(buffer.size()) / pass_us());
  }
  return summary(gbps, higher);
}

// One thread, over and over through what fits in the cache.
Measured cache_gbps(const std::byte* data, uint64_t bytes, ReadLoop read) {
  const auto passes_us = [&](int64_t passes) {
    const Stopwatch watch;
    for (int64_t i = 0; i < passes; ++i) read(data, bytes);
    return watch.elapsed_us();
  };
  int64_t passes = 2;
  while (passes_us(passes) < kTrialUs) passes *= 2;
  std::vector<double> gbps;
  for (int i = 0; i < kTrials; ++i) gbps.push_back(1e-3 * static_cast<double>(bytes * passes) / passes_us(passes));
  return summary(gbps, higher);
}

Measured barrier_us(ThreadTeam* team) {
  constexpr int kBarriers = 2000;
  std::vector<double> us;
  for (int i = 0; i < kTrials; ++i) {
    const Stopwatch watch;
    team->run([&](Shard) {
      for (int n = 0; n < kBarriers; ++n) team->barrier();
    });
    us.push_back(watch.elapsed_us() / kBarriers);
  }
  return summary(us, lower);
}

// Half a level for the first two, so that nothing else pushes it out; of a third level, which others share, a part
// that is surely larger than the second and not the whole.
uint64_t cache_buffer_bytes(const CpuCache& cache, uint64_t level_below_bytes) {
  constexpr uint64_t kUnit = 4096;
  uint64_t bytes = cache.size_bytes / 2;
  if (cache.level >= 3) bytes = std::min(cache.size_bytes / 2, std::max(4 * level_below_bytes, uint64_t{4} << 20));
  return std::max(kUnit, bytes / kUnit * kUnit);
}

class PeakMeasurement {
 public:
  explicit PeakMeasurement(const PeakOptions& options)
      : options_(options), loops_(supported_peak_loops()), counts_(stream_thread_counts(options.threads)) {
    steps_ = static_cast<double>(loops_.size() + counts_.size() + options.caches.size() + 1);
  }

  Result<MachinePeaks> measure() {
    ThreadTeam team(options_.threads);
    peaks_.threads = team.size();
    TRIBAR_RETURN_IF_ERROR(compute(&team));
    TRIBAR_RETURN_IF_ERROR(step("barrier"));
    {
      const Pinned pinned(&team, options_.cpus);
      peaks_.barrier_us = barrier_us(&team);
    }
    TRIBAR_RETURN_IF_ERROR(memory(&team));
    return std::move(peaks_);
  }

 private:
  Status compute(ThreadTeam* team) {
    ThreadTeam alone(1);
    for (const PeakLoop& loop : loops_) {
      TRIBAR_RETURN_IF_ERROR(step(loop.name));
      ComputePeak peak{loop.arithmetic, std::string(loop.name), std::string(loop.instruction), {}, {}};
      peak.one_thread = pinned_gops(loop, &alone);
      peak.all_threads = team->size() == 1 ? peak.one_thread : pinned_gops(loop, team);
      peaks_.compute.push_back(std::move(peak));
    }
    return {};
  }

  Measured pinned_gops(const PeakLoop& loop, ThreadTeam* team) const {
    const Pinned pinned(team, options_.cpus);
    return compute_gops(loop, team);
  }

  Measured pinned_gbps(const HugeBuffer& buffer, ReadLoop read, ThreadTeam* team) const {
    const Pinned pinned(team, options_.cpus);
    return stream_gbps(buffer, read, team);
  }

  Status memory(ThreadTeam* team) {
    TRIBAR_ASSIGN_OR_RETURN(const HugeBuffer buffer, HugeBuffer::allocate(options_.stream_bytes));
    peaks_.stream_bytes = buffer.size();
    // Pages come to the node of the thread that writes them first.
    team->run([&](Shard shard) {
      const auto [begin, end] = shard.range(static_cast<int64_t>(buffer.size()), 4096);
      if (end > begin) std::memset(buffer.data() + begin, 1, static_cast<size_t>(end - begin));
    });
    const ReadLoop read = read_loop();
    uint64_t below = 0;
    for (const CpuCache& cache : options_.caches) {
      TRIBAR_RETURN_IF_ERROR(step("cache"));
      const uint64_t bytes = cache_buffer_bytes(cache, below);
      below = cache.size_bytes;
      if (bytes > buffer.size()) continue;
      peaks_.caches.push_back({cache.level, bytes, cache_gbps(buffer.data(), bytes, read)});
    }
    for (int threads : counts_) {
      TRIBAR_RETURN_IF_ERROR(step("read stream"));
      if (threads == team->size()) {
        peaks_.stream.push_back({threads, pinned_gbps(buffer, read, team)});
      } else {
        ThreadTeam fewer(threads);
        peaks_.stream.push_back({threads, pinned_gbps(buffer, read, &fewer)});
      }
    }
    return {};
  }

  Status step(std::string_view what) {
    if (options_.progress && !options_.progress(done_++ / steps_, what)) return {StatusCode::kCancelled, ""};
    return {};
  }

  const PeakOptions& options_;
  std::vector<PeakLoop> loops_;
  std::vector<int> counts_;
  double steps_ = 1;
  double done_ = 0;
  MachinePeaks peaks_;
};

}  // namespace

std::vector<PeakLoop> supported_peak_loops() {
  std::vector<PeakLoop> loops;
#if defined(__x86_64__)
  const CpuFeatures& features = cpu_features();
  loops.push_back(kSse2Int8);
  if (features.avx2) loops.insert(loops.end(), {avx2::kFp32Peak, avx2::kInt8Peak});
  if (features.avx2 && features.avx_vnni) loops.push_back(avx2::kInt8VnniPeak);
  if (isa_supported(Isa::kAvx512)) {
    loops.insert(loops.end(), {avx512::kFp32Peak, avx512::kInt8Peak});
    if (features.avx512_bf16) loops.push_back(avx512::kBf16Peak);
  }
  if (request_amx_permission()) {
    if (features.amx_int8) loops.push_back(amx::kInt8Peak);
    if (features.amx_bf16) loops.push_back(amx::kBf16Peak);
  }
#endif
  return loops;
}

Measured measure_compute_gops(const PeakLoop& loop) {
  ThreadTeam alone(1);
  return compute_gops(loop, &alone);
}

Result<MachinePeaks> measure_peaks(const PeakOptions& options) {
  if (options.threads < 1) return invalid_argument("no threads to measure with");
  constexpr uint64_t kSmallest = uint64_t{1} << 20;
  if (options.stream_bytes < kSmallest) return resource_exhausted("too little memory to measure reading it");
  return PeakMeasurement(options).measure();
}

}  // namespace tribar::kernel
