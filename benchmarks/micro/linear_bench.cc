// Speed of the linear layers, one thread. GB/s are of packed weights.
//
//   ninja -C build/release micro_bench && build/release/benchmarks/micro/micro_bench
//   --benchmark_filter='Linear/avx512/Q4_K/.*/T:8/'
//
// Shapes are those of Qwen2.5-1.5B. A decode row (T:1) of a matrix that exceeds the caches is bound by memory.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "kernel/linear_types.h"
#include "kernel/table.h"
#include "micro/measure.h"
#include "micro/peaks.h"
#include "tensor/act_q8.h"
#include "tensor/quant/quant.h"

namespace tribar::micro {
namespace {

using kernel::LinearKernel;
using kernel::Precision;

struct Shape {
  int64_t rows;
  int64_t cols;
};
constexpr Shape kShapes[] = {{1536, 1536}, {8960, 1536}, {1536, 8960}, {151936, 1536}};

// Rows as they stand in a file.
std::vector<std::byte> file_rows(DType type, int64_t rows, int64_t cols) {
  const int64_t stride = *row_bytes(type, cols);
  const std::vector<float> values = random_floats(rows * cols);
  std::vector<std::byte> out(static_cast<size_t>(rows * stride));
  for (int64_t r = 0; r < rows; ++r) quant::quantize_row(type, values.data() + r * cols, out.data() + r * stride, cols);
  return out;
}

int64_t form_bytes(const LinearKernel& linear, DType type, int64_t rows, int64_t cols) {
  return linear.panel_rows == 0 ? rows * *row_bytes(type, cols) : linear.packed_bytes(rows, cols);
}

// A weight in the form the kernel reads: panels, or the file's rows. A few distinct rows repeated: values do not
// matter for speed, making 151936 of them takes minutes.
struct PackedWeight {
  PackedWeight(const LinearKernel& linear, DType type, Shape shape) {
    const int64_t distinct = std::min<int64_t>(shape.rows, 256);
    const std::vector<std::byte> source = file_rows(type, distinct, shape.cols);
    bytes = form_bytes(linear, type, shape.rows, shape.cols);
    data = std::move(HugeBuffer::allocate(static_cast<size_t>(bytes)).value());
    for (int64_t row = 0; row < shape.rows; row += distinct) {
      const int64_t count = std::min(distinct, shape.rows - row);
      std::byte* to = data.data() + row / distinct * form_bytes(linear, type, distinct, shape.cols);
      if (linear.panel_rows == 0) {
        std::memcpy(to, source.data(), static_cast<size_t>(form_bytes(linear, type, count, shape.cols)));
      } else {
        linear.pack({source.data(), type, count, shape.cols}, to, {});
      }
    }
    view = {data.data(), type, shape.rows, shape.cols};
  }
  HugeBuffer data;
  int64_t bytes = 0;
  kernel::WeightView view;
};

void linear(benchmark::State& state, Isa isa, DType type, Precision precision, Shape shape, bool wide) {
  const int64_t tokens = state.range(0);
  const LinearKernel* kernel = kernel::find_linear(isa, type, precision);
  const kernel::KernelFn<kernel::LinearArgs> run = wide ? kernel->run_wide : kernel->run;
  const PackedWeight weight(*kernel, type, shape);
  const Activations values(tokens, shape.cols), y(tokens, shape.rows);
  const Activations quantized(tokens, shape.cols, DType::kQ8Act);
  const bool int8 = kernel->activation == DType::kQ8Act;
  if (int8)
    kernel::kernel_table(isa).quantize({values.view(), quantized.view(), wide ? act_q8::kWideGroup : act_q8::kGroup},
                                       {});
  const kernel::LinearArgs args{int8 ? quantized.view() : values.view(), weight.view, nullptr, y.view()};
  time_passes(state,
              {.ops = 2 * tokens * shape.rows * shape.cols,
               .bytes = weight.bytes,
               .peak_gops = int8 ? int8_peak_gops(isa) : fp32_peak_gops(isa)},
              [&] { run(args, {}); });
}

void register_linear(Isa isa, DType type, Precision precision, bool wide) {
  for (const Shape& shape : kShapes) {
    std::string rest(dtype_name(type));
    if (precision == Precision::kExact) rest += "-exact";
    if (wide) rest += "-wide";
    rest += "/" + std::to_string(shape.rows) + "x" + std::to_string(shape.cols);
    auto* bench = benchmark::RegisterBenchmark(bench_name("Linear", isa, rest).c_str(), linear, isa, type, precision,
                                               shape, wide);
    // The largest matrix is the output layer, which computes few rows.
    for (int64_t tokens : {1, 2, 4, 8, 16, 64, 512}) {
      if (shape.rows < 100000 || tokens <= 8) bench->Arg(tokens);
    }
    bench->ArgName("T")->MinTime(0.2);
  }
}

const bool kRegistered = [] {
  for (Isa isa : benchmarked_isas()) {
    for (const kernel::LinearType& type : kernel::kLinearTypes) {
      const LinearKernel* kernel = kernel::find_linear(isa, type.weight, Precision::kFast);
      for (Precision precision : {Precision::kFast, Precision::kExact}) {
        register_linear(isa, type.weight, precision, false);
      }
      if (kernel != nullptr && kernel->run_wide != nullptr) register_linear(isa, type.weight, Precision::kFast, true);
    }
  }
  return true;
}();

}  // namespace
}  // namespace tribar::micro
