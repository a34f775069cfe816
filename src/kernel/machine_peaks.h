// What this machine can do at most, measured: multiply-adds from registers, bytes a second from memory and from each
// cache, and what a barrier of the thread team costs. The ceilings that kernels are held against.
//
//   Result<MachinePeaks> peaks = measure_peaks({.threads = available_cpus(), .stream_bytes = 1 << 30, ...});
//   peaks->stream_at(2).best        // GB/s of reading with two threads
//
// Each figure is taken warm, in several short trials; `best` is the ceiling, `median` what the machine gave while it
// was shared. Takes some seconds. Units: GOP/s with two operations a multiply-add, GB/s of 10⁹ bytes, microseconds.
// Errors: kResourceExhausted when there is no memory to read, kCancelled when `progress` returns false.
// Threads: one caller; starts its own team. Needs a machine that does nothing else to be true.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_features.h"
#include "base/cpu_topology.h"
#include "base/status.h"
#include "kernel/peak_loops.h"

namespace tribar::kernel {

struct Measured {
  double best = 0;
  double median = 0;
};

struct ComputePeak {
  Arithmetic arithmetic = Arithmetic::kInt8;
  std::string name;         // "avx512_vnni"
  std::string instruction;  // "vpdpbusd zmm"
  Measured one_thread;      // GOP/s
  Measured all_threads;
};

struct StreamPeak {
  int threads = 1;
  Measured gbps;
};

struct CachePeak {
  int level = 1;
  uint64_t buffer_bytes = 0;
  Measured gbps;  // one thread
};

struct MachinePeaks {
  int threads = 1;  // of all_threads
  std::vector<ComputePeak> compute;
  uint64_t stream_bytes = 0;       // the buffer that was read
  std::vector<StreamPeak> stream;  // by threads, ascending
  std::vector<CachePeak> caches;
  Measured barrier_us;  // of the team of `threads`; best is the shortest

  // Reading with so many threads; between counts that were measured, in proportion.
  Measured stream_at(int threads) const;
  // null: this machine has no such instructions.
  const ComputePeak* find(Arithmetic arithmetic, std::string_view name) const;
  const ComputePeak* best(Arithmetic arithmetic) const;
};

// GOP/s with so many threads; between one and all, in proportion.
Measured rate_at(const ComputePeak& peak, int all_threads, int threads);

// The name of the fastest int8 vector instruction that the kernels of a level use: "avx512_vnni", "avx2", "sse2". Tiles
// are a ceiling of their own: "amx_int8".
std::string_view int8_peak_name(Isa isa);

struct PeakOptions {
  int threads = 1;
  uint64_t stream_bytes = 0;
  std::vector<CpuCache> caches;
  std::vector<int> cpus;  // where the threads run while they are measured, in this order; empty: where the system likes
  std::function<bool(double fraction, std::string_view what)> progress;  // may be null; false cancels
};

// The larger of 1 GiB and twice the last cache, at most a quarter of what is available.
uint64_t stream_buffer_bytes(const std::vector<CpuCache>& caches, uint64_t available_bytes);

// How many threads the stream is read with: every number up to 16, then fewer, `most` always.
std::vector<int> stream_thread_counts(int most);

Result<MachinePeaks> measure_peaks(const PeakOptions& options);

// The loops of this machine, slowest set first.
std::vector<PeakLoop> supported_peak_loops();

// One thread, one kind; some 30 ms.
Measured measure_compute_gops(const PeakLoop& loop);

}  // namespace tribar::kernel
