#include "micro/measure.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <random>

#include "tensor/act_q8.h"

namespace tribar::micro {
namespace {

int64_t stride_bytes(DType dtype, int64_t cols) {
  return dtype == DType::kQ8Act ? act_q8::row_stride_bytes(cols) : *row_bytes(dtype, cols);
}

}  // namespace

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void add_counters(benchmark::State& state, const Work& work, double best_seconds) {
  const double gops = 1e-9 * static_cast<double>(work.ops) / best_seconds;
  state.counters["best_us"] = 1e6 * best_seconds;
  if (work.ops > 0) state.counters["GOP/s"] = gops;
  if (work.bytes > 0) state.counters["GB/s"] = 1e-9 * static_cast<double>(work.bytes) / best_seconds;
  if (work.ops > 0 && work.peak_gops > 0) state.counters["peak%"] = 100.0 * gops / work.peak_gops;
}

std::vector<Isa> benchmarked_isas() {
  std::vector<Isa> isas;
  for (std::string_view name : {"generic", "avx2", "avx512", "amx"}) {
    const std::optional<Isa> isa = isa_from_name(name);
    if (isa.has_value() && isa_supported(*isa)) isas.push_back(*isa);
  }
  return isas;
}

std::vector<float> random_floats(int64_t count) {
  std::mt19937 rng(1);
  std::normal_distribution<float> normal;
  std::vector<float> out(static_cast<size_t>(count));
  for (float& x : out) x = normal(rng);
  return out;
}

Activations::Activations(int64_t rows, int64_t cols, DType dtype) {
  const int64_t stride = stride_bytes(dtype, cols);
  buffer_ = std::move(HugeBuffer::allocate(static_cast<size_t>(rows * stride)).value());
  view_ = {buffer_.data(), dtype, rows, cols, stride};
  if (dtype != DType::kF32) return;
  const std::vector<float> values = random_floats(rows * cols);
  std::copy(values.begin(), values.end(), view_.f32(0));
}

std::string bench_name(std::string_view name, Isa isa, std::string_view rest) {
  return std::string(name) + "/" + std::string(isa_name(isa)) + "/" + std::string(rest);
}

}  // namespace tribar::micro
