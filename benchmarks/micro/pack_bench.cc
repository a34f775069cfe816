// Speed of packing a matrix into panels, one thread. GB/s are of file bytes.
//
//   ninja -C build/release micro_bench && build/release/benchmarks/micro/micro_bench --benchmark_filter='Pack/avx512/'
//
// Source and panels exceed the caches, as at load; both are touched before, so page faults are not part of it.
#include <string>
#include <vector>

#include "kernel/linear_types.h"
#include "kernel/table.h"
#include "micro/measure.h"

namespace tribar::micro {
namespace {

using kernel::LinearKernel;
using kernel::Precision;

constexpr int64_t kRows = 8192;
constexpr int64_t kCols = 8192;

// Which bytes a file holds does not matter for speed.
void packing(benchmark::State& state, Isa isa, DType type) {
  const LinearKernel* kernel = kernel::find_linear(isa, type, Precision::kFast);
  const std::vector<std::byte> source(static_cast<size_t>(kRows * *row_bytes(type, kCols)), std::byte{0x35});
  const HugeBuffer packed =
      std::move(HugeBuffer::allocate(static_cast<size_t>(kernel->packed_bytes(kRows, kCols))).value());
  const auto pack = [&] { kernel->pack({source.data(), type, kRows, kCols}, packed.data(), {}); };
  pack();
  time_passes(state, {.bytes = static_cast<int64_t>(source.size())}, pack);
}

const bool kRegistered = [] {
  for (Isa isa : benchmarked_isas()) {
    for (const kernel::LinearType& type : kernel::kLinearTypes) {
      const LinearKernel* kernel = kernel::find_linear(isa, type.weight, Precision::kFast);
      if (kernel == nullptr || kernel->panel_rows == 0) continue;
      benchmark::RegisterBenchmark(bench_name("Pack", isa, dtype_name(type.weight)).c_str(), packing, isa, type.weight)
          ->MinTime(0.2);
    }
  }
  return true;
}();

}  // namespace
}  // namespace tribar::micro
