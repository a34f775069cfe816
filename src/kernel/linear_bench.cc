// Speed of the linear layers: GOP/s (two operations a multiply-add) and GB/s of packed weights, one thread.
//
//   ninja -C build/release kernel_bench && build/release/src/kernel/kernel_bench
//   --benchmark_filter='Linear/avx512/Q4_K/.*/T:8/'
//
// Shapes are those of Qwen2.5-1.5B. peak% relates GOP/s to the int8 or fp32 multiply-add rate measured in the same
// run, so figures of different clocks compare. A decode row (T:1) of a matrix that exceeds the caches is bound by
// memory.
#include <benchmark/benchmark.h>

#include <time.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/huge_pages.h"
#include "kernel/linear_types.h"
#include "kernel/peak_bench.h"
#include "kernel/table.h"
#include "tensor/act_q8.h"
#include "tensor/quant/quant.h"

namespace tribar::kernel {
namespace {

struct Shape {
  int64_t rows;
  int64_t cols;
};
constexpr Shape kShapes[] = {{1536, 1536}, {8960, 1536}, {1536, 8960}, {151936, 1536}};

std::vector<float> random_floats(int64_t count) {
  std::mt19937 rng(1);
  std::normal_distribution<float> normal;
  std::vector<float> out(static_cast<size_t>(count));
  for (float& x : out) x = normal(rng);
  return out;
}

// Rows as they stand in a file. A few distinct ones repeated: values do not matter for speed, making 151936 takes
// minutes.
std::vector<std::byte> file_rows(DType type, int64_t rows, int64_t cols) {
  const int64_t stride = *row_bytes(type, cols);
  const std::vector<float> values = random_floats(rows * cols);
  std::vector<std::byte> out(static_cast<size_t>(rows * stride));
  for (int64_t r = 0; r < rows; ++r) quant::quantize_row(type, values.data() + r * cols, out.data() + r * stride, cols);
  return out;
}

// CPU time of this thread: what else the machine does distorts it less than a wall clock.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// An owned activation matrix in the form the kernel reads.
struct Activations {
  Activations(Isa isa, DType dtype, int64_t rows, int64_t cols) : values(random_floats(rows * cols)) {
    view = {values.data(), DType::kF32, rows, cols, cols * 4};
    if (dtype == DType::kF32) return;
    const int64_t stride = act_q8::row_stride_bytes(cols);
    quantized = std::move(HugeBuffer::allocate(static_cast<size_t>(rows * stride)).value());
    const TensorView q{quantized.data(), DType::kQ8Act, rows, cols, stride};
    kernel_table(isa).quantize({view, q}, {});
    view = q;
  }
  std::vector<float> values;
  HugeBuffer quantized;
  TensorView view;
};

// A weight in the form the kernel reads: panels, or the file's rows.
struct PackedWeight {
  PackedWeight(const LinearKernel& kernel, DType type, Shape shape) {
    const auto bytes_of = [&](int64_t rows) {
      return kernel.panel_rows == 0 ? rows * *row_bytes(type, shape.cols) : kernel.packed_bytes(rows, shape.cols);
    };
    const int64_t distinct = std::min<int64_t>(shape.rows, 256);
    const std::vector<std::byte> source = file_rows(type, distinct, shape.cols);
    bytes = bytes_of(shape.rows);
    data = std::move(HugeBuffer::allocate(static_cast<size_t>(bytes)).value());
    for (int64_t row = 0; row < shape.rows; row += distinct) {
      const int64_t count = std::min(distinct, shape.rows - row);
      std::byte* to = data.data() + row / distinct * bytes_of(distinct);
      if (kernel.panel_rows == 0) {
        std::memcpy(to, source.data(), static_cast<size_t>(bytes_of(count)));
      } else {
        kernel.pack({source.data(), type, count, shape.cols}, to, {});
      }
    }
    view = {data.data(), type, shape.rows, shape.cols};
  }
  HugeBuffer data;
  int64_t bytes = 0;
  WeightView view;
};

void linear(benchmark::State& state, Isa isa, DType type, Precision precision, Shape shape) {
  const int64_t tokens = state.range(0);
  const LinearKernel* kernel = find_linear(isa, type, precision);
  const PackedWeight packed(*kernel, type, shape);
  const WeightView& weight = packed.view;
  const Activations x(isa, kernel->activation, tokens, shape.cols);
  std::vector<float> y(static_cast<size_t>(tokens * shape.rows));
  const TensorView out{y.data(), DType::kF32, tokens, shape.rows, shape.rows * 4};
  // The best pass is what the code can do; the mean shows what else the machine was doing.
  double best_seconds = 1e9;
  for (auto _ : state) {
    const double start = thread_seconds();
    kernel->run({x.view, weight, nullptr, out}, {});
    best_seconds = std::min(best_seconds, thread_seconds() - start);
  }
  const double gops = 2e-9 * static_cast<double>(tokens * shape.rows * shape.cols) / best_seconds;
  state.counters["best_us"] = 1e6 * best_seconds;
  state.counters["GOP/s"] = gops;
  state.counters["GB/s"] = 1e-9 * static_cast<double>(packed.bytes) / best_seconds;
  state.counters["peak%"] =
      100.0 * gops / (kernel->activation == DType::kQ8Act ? int8_peak_gops(isa) : fp32_peak_gops(isa));
}

void packing(benchmark::State& state, Isa isa, DType type) {
  const LinearKernel* kernel = find_linear(isa, type, Precision::kFast);
  const Shape shape{1536, 1536};
  const std::vector<std::byte> source = file_rows(type, shape.rows, shape.cols);
  Result<HugeBuffer> packed = HugeBuffer::allocate(static_cast<size_t>(kernel->packed_bytes(shape.rows, shape.cols)));
  for (auto _ : state) kernel->pack({source.data(), type, shape.rows, shape.cols}, packed->data(), {});
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(source.size()));
}

void register_linear(Isa isa, const LinearType& type, Precision precision) {
  for (const Shape& shape : kShapes) {
    std::string name = std::string("Linear/") + std::string(isa_name(isa)) + "/" + std::string(dtype_name(type.weight));
    if (precision == Precision::kExact) name += "-exact";
    name += "/" + std::to_string(shape.rows) + "x" + std::to_string(shape.cols) + "/T";
    auto* bench = benchmark::RegisterBenchmark(
        name.c_str(), [=](benchmark::State& state) { linear(state, isa, type.weight, precision, shape); });
    // The largest matrix is the output layer, which computes few rows.
    for (int64_t tokens : {1, 2, 4, 8, 64, 512}) {
      if (shape.rows < 100000 || tokens <= 8) bench->Arg(tokens);
    }
    bench->MinTime(0.2);
  }
}

const bool kRegistered = [] {
  for (Isa isa : {Isa::kGeneric, Isa::kAvx2, Isa::kAvx512}) {
    if (!isa_supported(isa)) continue;
    for (const LinearType& type : kLinearTypes) {
      for (Precision precision : {Precision::kFast, Precision::kExact}) register_linear(isa, type, precision);
      const LinearKernel* kernel = find_linear(isa, type.weight, Precision::kFast);
      if (kernel == nullptr || kernel->panel_rows == 0) continue;
      const std::string name = "Pack/" + std::string(isa_name(isa)) + "/" + std::string(dtype_name(type.weight));
      benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { packing(state, isa, type.weight); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace tribar::kernel
