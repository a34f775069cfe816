// Linear layers by ISA, type, precision and number of tokens: items are multiply-adds.
//   kernel_bench --benchmark_filter='avx512/Q4_K/exact/tokens:512'
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "kernel/linear_types.h"
#include "kernel/table.h"
#include "tensor/act_q8.h"
#include "tensor/quant/quant.h"

namespace tribar::kernel {
namespace {

constexpr int64_t kRows = 1536;
constexpr int64_t kCols = 1536;

AlignedBuffer buffer(int64_t bytes) { return AlignedBuffer::allocate(static_cast<size_t>(bytes)).value(); }

AlignedBuffer random_floats(int64_t n) {
  AlignedBuffer out = buffer(n * 4);
  std::mt19937 rng(1);
  for (int64_t i = 0; i < n; ++i) out.as<float>()[i] = static_cast<float>(rng() % 2001) / 1000.0f - 1.0f;
  return out;
}

void run_linear(benchmark::State& state, Isa isa, DType type, Precision precision) {
  const LinearKernel& kernel = *find_linear(isa, type, precision);
  const int64_t tokens = state.range(0);
  const int64_t row_size = row_bytes(type, kCols).value();
  const AlignedBuffer values = random_floats(std::max(kRows, tokens) * kCols);
  AlignedBuffer file = buffer(kRows * row_size);
  for (int64_t r = 0; r < kRows; ++r) {
    quant::quantize_row(type, values.as<float>() + r * kCols, file.data() + r * row_size, kCols);
  }
  WeightView w{file.data(), type, kRows, kCols};
  AlignedBuffer packed;
  if (kernel.panel_rows != 0) {
    packed = buffer(kernel.packed_bytes(kRows, kCols));
    kernel.pack(w, packed.data(), Shard{});
    w.data = packed.data();
  }
  TensorView x{values.data(), DType::kF32, tokens, kCols, kCols * 4};
  AlignedBuffer q = buffer(tokens * act_q8::row_stride_bytes(kCols));
  if (kernel.activation == DType::kQ8Act) {
    const TensorView quantized{q.data(), DType::kQ8Act, tokens, kCols, act_q8::row_stride_bytes(kCols)};
    kernel_table(isa).quantize({x, quantized}, Shard{});
    x = quantized;
  }
  AlignedBuffer out = buffer(tokens * kRows * 4);
  const TensorView y{out.data(), DType::kF32, tokens, kRows, kRows * 4};
  for (auto _ : state) kernel.run({x, w, nullptr, y}, Shard{});
  state.SetItemsProcessed(state.iterations() * tokens * kRows * kCols);
}

const int kRegistered = [] {
  for (Isa isa : {Isa::kGeneric, Isa::kAvx2, Isa::kAvx512}) {
    if (!isa_supported(isa)) continue;
    for (const LinearType& type : kLinearTypes) {
      for (Precision precision : {Precision::kExact, Precision::kFast}) {
        const std::string name = std::string(isa_name(isa)) + "/" + std::string(dtype_name(type.weight)) +
                                 (precision == Precision::kExact ? "/exact" : "/fast");
        benchmark::RegisterBenchmark(name.c_str(), run_linear, isa, type.weight, precision)
            ->ArgName("tokens")->Arg(1)->Arg(4)->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);
      }
    }
  }
  return 0;
}();

}  // namespace
}  // namespace tribar::kernel
