// What the micro-benchmarks share: timing by the best pass, counters against the machine's peaks, random data.
//
//   time_passes(state, {.ops = 2 * m * n * k, .bytes = weight_bytes, .peak_gops = int8_peak_gops(isa)}, [&] { ... });
//
// adds best_us, GOP/s and GB/s (of the best pass), and peak% where the peak is known. The best pass is what the code
// can do; Google Benchmark's own mean shows what else the machine was doing. Passes are timed by the CPU time of the
// calling thread, which other processes distort less than a wall clock.
// Units: operations (two a multiply-add), bytes, GOP/s. Threads: one.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_features.h"
#include "base/huge_pages.h"
#include "tensor/view.h"

namespace tribar::micro {

// One pass; 0 leaves a counter out.
struct Work {
  int64_t ops = 0;
  int64_t bytes = 0;  // read and written
  double peak_gops = 0;
};

double thread_seconds();
void add_counters(benchmark::State& state, const Work& work, double best_seconds);

template <typename Fn>
void time_passes(benchmark::State& state, const Work& work, Fn&& pass) {
  double best_seconds = std::numeric_limits<double>::infinity();
  for (auto _ : state) {
    const double start = thread_seconds();
    pass();
    const double seconds = thread_seconds() - start;
    if (seconds < best_seconds) best_seconds = seconds;
  }
  add_counters(state, work, best_seconds);
}

// The kernel sets of this machine, slowest first.
std::vector<Isa> benchmarked_isas();

std::vector<float> random_floats(int64_t count);

// An owned activation matrix on huge pages: F32 normally distributed, other types zero.
class Activations {
 public:
  Activations(int64_t rows, int64_t cols, DType dtype = DType::kF32);
  const TensorView& view() const { return view_; }

 private:
  HugeBuffer buffer_;
  TensorView view_;
};

// "Name/part/part".
std::string bench_name(std::string_view name, Isa isa, std::string_view rest);

}  // namespace tribar::micro
