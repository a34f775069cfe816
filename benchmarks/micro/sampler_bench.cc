// Choosing the next token from a row of logits: GB/s of logits. A pass over the row at memory speed is the floor.
//
//   --benchmark_filter='Sample/.*/vocab:262144'
#include <string>
#include <utility>
#include <vector>

#include "engine/sampler/sampler.h"
#include "micro/measure.h"

namespace tribar::micro {
namespace {

void sample(benchmark::State& state, const engine::SamplingParams& params) {
  std::vector<float> logits = random_floats(state.range(0));
  for (float& logit : logits) logit *= 3;
  engine::Sampler sampler(params, {});
  time_passes(state, {.bytes = state.range(0) * static_cast<int64_t>(sizeof(float))},
              [&] { benchmark::DoNotOptimize(sampler.sample(logits)); });
}

const bool kRegistered = [] {
  const std::pair<const char*, engine::SamplingParams> cases[] = {
      {"greedy", {.temperature = 0}},
      {"top_k=1", {.top_k = 1}},
      {"top_k=40", {.top_k = 40}},
      {"top_k=1000", {.top_k = 1000}},
      {"top_p=0.9", {.top_p = 0.9}},
      {"min_p=0.05", {.min_p = 0.05}},
      {"top_k=40,top_p=0.9,temperature=0.7", {.temperature = 0.7, .top_k = 40, .top_p = 0.9}},
      {"plain", {}},
  };
  for (const auto& [name, params] : cases) {
    benchmark::RegisterBenchmark(("Sample/" + std::string(name)).c_str(),
                                 [p = params](benchmark::State& state) { sample(state, p); })
        ->ArgName("vocab")
        ->Arg(49152)
        ->Arg(151936)
        ->Arg(262144)
        ->MinTime(0.1);
  }
  return true;
}();

}  // namespace
}  // namespace tribar::micro
