// Speed of attention, one thread: decode (T:1) reads the cache of `depth` tokens once and is held against GB/s;
// prefill (T:512) is held against the fp32 peak.
//
//   --benchmark_filter='Attention/avx512/F16/14:2x64/.*'      heads : KV heads x head size
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "kernel/table.h"
#include "micro/measure.h"
#include "micro/peaks.h"

namespace tribar::micro {
namespace {

struct Heads {
  int64_t query;
  int64_t kv;
  int64_t dim;
};
// Qwen2.5-0.5B, one with 80, Qwen2.5-1.5B (and most), one with 192, Gemma 3.
constexpr Heads kHeads[] = {{14, 2, 64}, {32, 8, 80}, {12, 2, 96}, {12, 2, 128}, {8, 8, 192}, {4, 1, 256}};
constexpr int64_t kBlockTokens = 32;

// One layer's cache for one sequence, with its blocks in a scattered order and filled through the kernel itself.
class Cache {
 public:
  Cache(Isa isa, const Heads& heads, DType dtype, int64_t tokens)
      : blocks_((tokens + kBlockTokens - 1) / kBlockTokens) {
    const int64_t values = blocks_ * kBlockTokens * heads.kv * heads.dim;
    k_ = std::move(HugeBuffer::allocate(static_cast<size_t>(*row_bytes(dtype, values))).value());
    v_ = std::move(HugeBuffer::allocate(k_.size()).value());
    table_.resize(static_cast<size_t>(blocks_));
    std::iota(table_.begin(), table_.end(), 0);
    std::shuffle(table_.begin(), table_.end(), std::mt19937(1));
    view_ = {k_.data(), v_.data(), dtype, kBlockTokens, heads.kv, heads.dim, heads.dim};
    const Activations rows(tokens, heads.kv * heads.dim);
    const kernel::SequenceView all = sequence(tokens, tokens);
    kernel::kernel_table(isa).kv_append({rows.view(), rows.view(), view_, {&all, 1}}, {});
  }
  const kernel::KvView& view() const { return view_; }
  kernel::SequenceView sequence(int64_t tokens, int64_t length) const { return {0, tokens, length, table_.data()}; }

 private:
  int64_t blocks_;
  std::vector<int32_t> table_;
  HugeBuffer k_, v_;
  kernel::KvView view_;
};

// The last `tokens` of `length` tokens attend to everything before them.
void attention(benchmark::State& state, Isa isa, Heads heads, DType dtype, int64_t tokens) {
  const int64_t length = state.range(0) + tokens;
  const Cache cache(isa, heads, dtype, length);
  const kernel::SequenceView sequence = cache.sequence(tokens, length);
  const Activations q(tokens, heads.query * heads.dim), y(tokens, heads.query * heads.dim);
  const kernel::AttentionArgs args{.q = q.view(),
                                   .cache = cache.view(),
                                   .sequences = {&sequence, 1},
                                   .heads = heads.query,
                                   .scale = 1.0f / std::sqrt(static_cast<float>(heads.dim)),
                                   .y = y.view()};
  // Keys that each query sees, summed: the causal triangle counts half.
  const int64_t pairs = tokens * state.range(0) + tokens * (tokens + 1) / 2;
  const kernel::KernelTable& table = kernel::kernel_table(isa);
  time_passes(state,
              {.ops = 4 * pairs * heads.query * heads.dim,
               .bytes = tokens == 1 ? 2 * *row_bytes(dtype, length * heads.kv * heads.dim) : 0,
               .peak_gops = fp32_peak_gops(isa)},
              [&] { table.attention(args, {}); });
}

const bool kRegistered = [] {
  for (Isa isa : benchmarked_isas()) {
    for (const Heads& heads : kHeads) {
      for (DType dtype : {DType::kF16, DType::kF32}) {
        for (int64_t tokens : {1, 8, 512}) {
          const std::string rest = std::string(dtype_name(dtype)) + "/" + std::to_string(heads.query) + ":" +
                                   std::to_string(heads.kv) + "x" + std::to_string(heads.dim) +
                                   "/T:" + std::to_string(tokens);
          auto* bench = benchmark::RegisterBenchmark(bench_name("Attention", isa, rest).c_str(), attention, isa, heads,
                                                     dtype, tokens);
          for (int64_t depth : {0, 1024, 8192}) {
            if (depth > 0 || tokens > 1) bench->Arg(depth);
          }
          bench->ArgName("depth")->MinTime(0.2);
        }
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace tribar::micro
