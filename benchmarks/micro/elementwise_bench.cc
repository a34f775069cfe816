// Speed of what stands between the linear layers, one thread, on rows of Qwen2.5-1.5B: GB/s read and written.
//
//   --benchmark_filter='(RmsNorm|Glu)/avx512/.*/T:512'
#include <string>
#include <vector>

#include "kernel/table.h"
#include "micro/measure.h"

namespace tribar::micro {
namespace {

constexpr int64_t kHidden = 1536, kFfn = 8960, kHeads = 12, kHeadDim = 128;
constexpr int64_t kFloat = sizeof(float);

void rms_norm(benchmark::State& state, Isa isa) {
  const Activations x(state.range(0), kHidden), y(state.range(0), kHidden);
  const std::vector<float> weight(kHidden, 1.0f);
  const kernel::RmsNormArgs args{.x = x.view(), .w = weight.data(), .y = y.view()};
  time_passes(state, {.bytes = 2 * state.range(0) * kHidden * kFloat},
              [&] { kernel::kernel_table(isa).rms_norm(args, {}); });
}

void layer_norm(benchmark::State& state, Isa isa) {
  const Activations x(state.range(0), kHidden), y(state.range(0), kHidden);
  const std::vector<float> weight(kHidden, 1.0f);
  const kernel::LayerNormArgs args{.x = x.view(), .w = weight.data(), .bias = weight.data(), .y = y.view()};
  time_passes(state, {.bytes = 2 * state.range(0) * kHidden * kFloat},
              [&] { kernel::kernel_table(isa).layer_norm(args, {}); });
}

void add(benchmark::State& state, Isa isa) {
  const Activations a(state.range(0), kHidden), b(state.range(0), kHidden), y(state.range(0), kHidden);
  const kernel::AddArgs args{.a = a.view(), .b = b.view(), .y = y.view()};
  time_passes(state, {.bytes = 3 * state.range(0) * kHidden * kFloat},
              [&] { kernel::kernel_table(isa).add(args, {}); });
}

void glu(benchmark::State& state, Isa isa, kernel::Activation activation) {
  const Activations gate(state.range(0), kFfn), up(state.range(0), kFfn), y(state.range(0), kFfn);
  const kernel::GluArgs args{gate.view(), up.view(), activation, y.view()};
  time_passes(state, {.bytes = 3 * state.range(0) * kFfn * kFloat}, [&] { kernel::kernel_table(isa).glu(args, {}); });
}

void quantize(benchmark::State& state, Isa isa) {
  const Activations x(state.range(0), kFfn), y(state.range(0), kFfn, DType::kQ8Act);
  time_passes(state, {.bytes = state.range(0) * (kFfn * kFloat + y.view().stride_bytes)},
              [&] { kernel::kernel_table(isa).quantize({x.view(), y.view()}, {}); });
}

void rope(benchmark::State& state, Isa isa, kernel::RopePairing pairing) {
  const Activations x(state.range(0), kHeads * kHeadDim), y(state.range(0), kHeads * kHeadDim);
  const Activations table(state.range(0), kHeadDim);
  const kernel::RopeArgs args{x.view(), table.view(), kHeads, kHeadDim, pairing, y.view()};
  time_passes(state, {.bytes = state.range(0) * (2 * kHeads + 1) * kHeadDim * kFloat},
              [&] { kernel::kernel_table(isa).rope(args, {}); });
}

template <typename Fn>
void register_rows(Isa isa, const std::string& name, const std::string& what, Fn fn) {
  auto* bench = benchmark::RegisterBenchmark(bench_name(name, isa, what).c_str(),
                                             [=](benchmark::State& state) { fn(state, isa); });
  bench->ArgName("T")->Arg(1)->Arg(8)->Arg(512)->MinTime(0.1);
}

const bool kRegistered = [] {
  using kernel::Activation, kernel::RopePairing;
  using State = benchmark::State;
  for (Isa isa : benchmarked_isas()) {
    register_rows(isa, "RmsNorm", "1536", rms_norm);
    register_rows(isa, "LayerNorm", "1536", layer_norm);
    register_rows(isa, "Add", "1536", add);
    register_rows(isa, "Quantize", "8960", quantize);
    register_rows(isa, "Glu", "silu", [](State& state, Isa set) { glu(state, set, Activation::kSilu); });
    register_rows(isa, "Glu", "gelu", [](State& state, Isa set) { glu(state, set, Activation::kGeluTanh); });
    register_rows(isa, "Rope", "halves", [](State& state, Isa set) { rope(state, set, RopePairing::kHalves); });
    register_rows(isa, "Rope", "adjacent", [](State& state, Isa set) { rope(state, set, RopePairing::kAdjacent); });
  }
  return true;
}();

}  // namespace
}  // namespace tribar::micro
