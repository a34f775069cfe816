// What the thread team costs, on the wall clock: one barrier among all members, and one empty region.
//
//   --benchmark_filter=Team        us_each: of one barrier or region
#include <benchmark/benchmark.h>

#include <algorithm>

#include "base/available_cpus.h"
#include "base/stopwatch.h"
#include "base/thread_team.h"

namespace tribar::micro {
namespace {

constexpr int kBarriers = 1000;

void barrier(benchmark::State& state) {
  ThreadTeam team(static_cast<int>(state.range(0)));
  double best_us = 1e12;
  for (auto _ : state) {
    const Stopwatch watch;
    team.run([&](Shard) {
      for (int i = 0; i < kBarriers; ++i) team.barrier();
    });
    best_us = std::min(best_us, watch.elapsed_us());
  }
  state.counters["us_each"] = best_us / kBarriers;
}

void region(benchmark::State& state) {
  ThreadTeam team(static_cast<int>(state.range(0)));
  double best_us = 1e12;
  for (auto _ : state) {
    const Stopwatch watch;
    for (int i = 0; i < kBarriers; ++i) team.run([](Shard) {});
    best_us = std::min(best_us, watch.elapsed_us());
  }
  state.counters["us_each"] = best_us / kBarriers;
}

const bool kRegistered = [] {
  for (int threads = 1; threads <= available_cpus(); threads *= 2) {
    benchmark::RegisterBenchmark("Team/barrier", barrier)->ArgName("threads")->Arg(threads)->UseRealTime();
    benchmark::RegisterBenchmark("Team/region", region)->ArgName("threads")->Arg(threads)->UseRealTime();
  }
  return true;
}();

}  // namespace
}  // namespace tribar::micro
