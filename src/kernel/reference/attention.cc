#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/kv_address.h"
#include "kernel/reference/reference.h"
#include "kernel/scratch.h"
#include "tensor/half.h"

namespace tribar::kernel::reference {
namespace {

double cache_value(const KvView& cache, const void* data, int64_t index) {
  if (cache.dtype == DType::kF16) return f16_to_f32(static_cast<const uint16_t*>(data)[index]);
  return static_cast<const float*>(data)[index];
}

// One query row of one head: everything its softmax needs to know.
struct Query {
  const float* q;
  const SequenceView& sequence;
  int64_t head;
  int64_t position;
};

double score(const AttentionArgs& args, const Query& query, int64_t kv_head, int64_t key_position) {
  const KvView& cache = args.cache;
  const int64_t key = kv_slot(cache, query.sequence, kv_head, key_position) * cache.k_dim;
  double dot = 0.0;
  for (int64_t i = 0; i < cache.k_dim; ++i) dot += query.q[i] * cache_value(cache, cache.k, key + i);
  const double scaled = args.scale * dot;
  return args.softcap > 0.0f ? args.softcap * std::tanh(scaled / args.softcap) : scaled;
}

// Softmax over the visible keys, then the weighted sum of their values.
void attend(const AttentionArgs& args, const Query& query, float* y) {
  const KvView& cache = args.cache;
  const int64_t kv_head = query.head / (args.heads / cache.kv_heads);
  const int64_t begin = args.window > 0 ? std::max<int64_t>(query.position - args.window + 1, 0) : 0;
  const int64_t keys = query.position + 1 - begin;
  double* weight = thread_scratch<double>(keys);

  double peak = args.sinks != nullptr ? args.sinks[query.head] : -std::numeric_limits<double>::infinity();
  for (int64_t j = 0; j < keys; ++j) {
    weight[j] = score(args, query, kv_head, begin + j);
    peak = std::max(peak, weight[j]);
  }
  double total = args.sinks != nullptr ? std::exp(args.sinks[query.head] - peak) : 0.0;
  for (int64_t j = 0; j < keys; ++j) {
    weight[j] = std::exp(weight[j] - peak);
    total += weight[j];
  }
  for (int64_t i = 0; i < cache.v_dim; ++i) {
    double sum = 0.0;
    for (int64_t j = 0; j < keys; ++j) {
      const int64_t value = kv_slot(cache, query.sequence, kv_head, begin + j) * cache.v_dim;
      sum += weight[j] * cache_value(cache, cache.v, value + i);
    }
    y[i] = static_cast<float>(sum / total);
  }
}

}  // namespace

void attention(const AttentionArgs& args, Shard shard) {
  for (const SequenceView& sequence : args.sequences) {
    const auto [begin, end] = shard.range(sequence.token_count * args.heads);
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t i = unit / args.heads;
      const int64_t head = unit % args.heads;
      const int64_t t = sequence.token_begin + i;
      const Query query{args.q.f32(t) + head * args.cache.k_dim, sequence, head,
                        sequence.kv_length - sequence.token_count + i};
      attend(args, query, args.y.f32(t) + head * args.cache.v_dim);
    }
  }
}

}  // namespace tribar::kernel::reference
