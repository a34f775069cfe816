// Causal attention over the paged cache by online softmax (Milakov & Gimelshein 2018).
//
// A unit of work is one KV head and a few neighbouring tokens of a sequence. It walks the keys in tiles of
// kAttentionTile from position 0; a tile's keys and values are brought to fp32 once and serve all query rows of the
// unit. What a query row does with a tile depends on its own position alone, so neither the cut into units nor the
// chunking of a prompt changes a bit.
#include <limits>

#include "kernel/generic/generic.h"
#include "kernel/generic/half-inl.h"
#include "kernel/generic/math-inl.h"
#include "kernel/kv_address.h"
#include "kernel/scratch.h"

namespace tribar::kernel::TRIBAR_GENERIC {
namespace {

constexpr int64_t kUnitTokens = 16;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Positions [begin, end).
struct Range {
  int64_t begin;
  int64_t end;
};

TRIBAR_INLINE int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }
TRIBAR_INLINE int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

Range visible_keys(const AttentionArgs& args, int64_t position) {
  return {args.window > 0 ? greater(position - args.window + 1, 0) : 0, position + 1};
}

struct Unit {
  const AttentionArgs& args;
  const SequenceView& sequence;
  int64_t kv_head;
  Range tokens;   // of the sequence's tokens in this step
  float* keys;    // [kAttentionTile][k_dim]
  float* values;  // [kAttentionTile][v_dim]
  float* peak;    // [query rows]: largest score so far
  float* total;   // [query rows]: sum of exp(score - peak)

  int64_t group() const { return args.heads / args.cache.kv_heads; }
  int64_t position(int64_t token) const { return sequence.kv_length - sequence.token_count + token; }

  void run() const {
    start_rows();
    const Range first = visible_keys(args, position(tokens.begin));
    const int64_t last_end = position(tokens.end - 1) + 1;
    for (int64_t tile = first.begin / kAttentionTile * kAttentionTile; tile < last_end; tile += kAttentionTile) {
      const Range keys_of_tile{tile, lesser(tile + kAttentionTile, last_end)};
      load_tile(keys_of_tile);
      for_each_row([&](int64_t row, const float* q, int64_t at, float* y) {
        const Range visible = visible_keys(args, at);
        const Range seen{greater(visible.begin, tile), lesser(visible.end, keys_of_tile.end)};
        if (seen.begin < seen.end) add_tile(row, q, {seen.begin - tile, seen.end - tile}, y);
      });
    }
    for_each_row([&](int64_t row, const float*, int64_t, float* y) {
      for (int64_t i = 0; i < args.cache.v_dim; ++i) y[i] /= total[row];
    });
  }

  // fn(row, query, position, output) for every query row.
  template <typename Fn>
  TRIBAR_INLINE void for_each_row(Fn fn) const {
    for (int64_t token = tokens.begin; token < tokens.end; ++token) {
      const int64_t t = sequence.token_begin + token;
      for (int64_t g = 0; g < group(); ++g) {
        const int64_t head = kv_head * group() + g;
        fn((token - tokens.begin) * group() + g, args.q.f32(t) + head * args.cache.k_dim, position(token),
           args.y.f32(t) + head * args.cache.v_dim);
      }
    }
  }

  // A sink takes part in the softmax as a score without a value.
  void start_rows() const {
    for_each_row([&](int64_t row, const float*, int64_t, float* y) {
      peak[row] = args.sinks != nullptr ? args.sinks[kv_head * group() + row % group()] : -kInfinity;
      total[row] = args.sinks != nullptr ? 1.0f : 0.0f;
      std::memset(y, 0, static_cast<size_t>(args.cache.v_dim) * sizeof(float));
    });
  }

  void load_tile(Range positions) const {
    const KvView& cache = args.cache;
    for (int64_t p = positions.begin; p < positions.end; ++p) {
      const int64_t slot = kv_slot(cache, sequence, kv_head, p);
      load_row(cache.k, slot * cache.k_dim, cache.k_dim, keys + (p - positions.begin) * cache.k_dim);
      load_row(cache.v, slot * cache.v_dim, cache.v_dim, values + (p - positions.begin) * cache.v_dim);
    }
  }

  TRIBAR_INLINE void load_row(const void* data, int64_t offset, int64_t n, float* out) const {
    if (args.cache.dtype == DType::kF16) {
      halves_to_floats(static_cast<const uint16_t*>(data) + offset, out, n);
    } else {
      std::memcpy(out, static_cast<const float*>(data) + offset, static_cast<size_t>(n) * sizeof(float));
    }
  }

  TRIBAR_INLINE float dot(const float* a, const float* b) const {
    const int64_t n = args.cache.k_dim;
    F32 sum{};
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) sum = mul_add(load(a + i), load(b + i), sum);
    if (i < n) sum = mul_add(load_partial(a + i, n - i), load_partial(b + i, n - i), sum);
    return sum_lanes(sum);
  }

  // Scores of a tile; what the row does not see is -infinity.
  TRIBAR_INLINE void score_tile(const float* q, Range seen, float* scores) const {
    for (int64_t j = 0; j < kAttentionTile; ++j) scores[j] = -kInfinity;
    for (int64_t j = seen.begin; j < seen.end; ++j) scores[j] = args.scale * dot(q, keys + j * args.cache.k_dim);
    if (!(args.softcap > 0.0f)) return;
    const F32 cap = broadcast(args.softcap);
    float capped[kAttentionTile];
    for (int64_t j = 0; j < kAttentionTile; j += kLanes) store(capped + j, cap * tanh(load(scores + j) / cap));
    for (int64_t j = seen.begin; j < seen.end; ++j) scores[j] = capped[j];
  }

  // Takes the keys [seen.begin, seen.end) of the loaded tile into one row's softmax.
  void add_tile(int64_t row, const float* q, Range seen, float* y) const {
    alignas(64) float scores[kAttentionTile];
    score_tile(q, seen, scores);
    F32 highest = broadcast(peak[row]);
    for (int64_t j = 0; j < kAttentionTile; j += kLanes) highest = max(load(scores + j), highest);
    const float new_peak = max_lanes(highest);
    const float shrink = exp(broadcast(peak[row] - new_peak))[0];
    F32 sum{};
    for (int64_t j = 0; j < kAttentionTile; j += kLanes) {
      const F32 weight = exp(load(scores + j) - new_peak);
      store(scores + j, weight);
      sum = sum + weight;
    }
    peak[row] = new_peak;
    total[row] = total[row] * shrink + sum_lanes(sum);
    add_values(scores, seen, shrink, y);
  }

  // y = y * shrink + sum of weight[j] * value[j], keys in order.
  TRIBAR_INLINE void add_values(const float* weights, Range seen, float shrink, float* y) const {
    constexpr int64_t kVectors = 4;
    const int64_t n = args.cache.v_dim;
    int64_t i = 0;
    for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
      F32 acc[kVectors];
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) acc[v] = load(y + i + v * kLanes) * shrink;
      for (int64_t j = seen.begin; j < seen.end; ++j) {
        const F32 weight = broadcast(weights[j]);
        const float* value = values + j * n + i;
#pragma GCC unroll 4
        for (int64_t v = 0; v < kVectors; ++v) acc[v] = mul_add(weight, load(value + v * kLanes), acc[v]);
      }
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) store(y + i + v * kLanes, acc[v]);
    }
    for (; i < n; i += kLanes) {
      const int64_t left = lesser(n - i, kLanes);
      F32 acc = load_partial(y + i, left) * shrink;
      for (int64_t j = seen.begin; j < seen.end; ++j) {
        acc = mul_add(broadcast(weights[j]), load_partial(values + j * n + i, left), acc);
      }
      store_partial(y + i, acc, left);
    }
  }
};

}  // namespace

void attention(const AttentionArgs& args, Shard shard) {
  const KvView& cache = args.cache;
  const int64_t rows = kUnitTokens * (args.heads / cache.kv_heads);
  float* scratch = thread_scratch<float>(kAttentionTile * (cache.k_dim + cache.v_dim) + 2 * rows);
  float* values = scratch + kAttentionTile * cache.k_dim;
  float* peak = values + kAttentionTile * cache.v_dim;
  int64_t unit = 0;
  for (const SequenceView& sequence : args.sequences) {
    for (int64_t token = 0; token < sequence.token_count; token += kUnitTokens) {
      for (int64_t kv_head = 0; kv_head < cache.kv_heads; ++kv_head, ++unit) {
        // Later tokens see more keys: dealing units out in turn spreads the work.
        if (unit % shard.count != shard.index) continue;
        const Range tokens{token, lesser(token + kUnitTokens, sequence.token_count)};
        Unit{args, sequence, kv_head, tokens, scratch, values, peak, peak + rows}.run();
      }
    }
  }
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
