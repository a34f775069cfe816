#include "kernel/generic/generic.h"
#include "kernel/generic/half-inl.h"
#include "kernel/kv_address.h"

namespace tribar::kernel::TRIBAR_GENERIC {
namespace {

void store_row(DType dtype, const float* source, int64_t n, void* cache, int64_t offset) {
  if (dtype == DType::kF16) return floats_to_halves(source, static_cast<uint16_t*>(cache) + offset, n);
  std::memcpy(static_cast<float*>(cache) + offset, source, static_cast<size_t>(n) * sizeof(float));
}

}  // namespace

void kv_append(const KvAppendArgs& args, Shard shard) {
  const KvView& cache = args.cache;
  for (const SequenceView& sequence : args.sequences) {
    const auto [begin, end] = shard.range(sequence.token_count * cache.kv_heads);
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t i = unit / cache.kv_heads;
      const int64_t h = unit % cache.kv_heads;
      const int64_t t = sequence.token_begin + i;
      const int64_t slot = kv_slot(cache, sequence, h, sequence.kv_length - sequence.token_count + i);
      store_row(cache.dtype, args.k.f32(t) + h * cache.k_dim, cache.k_dim, cache.k, slot * cache.k_dim);
      store_row(cache.dtype, args.v.f32(t) + h * cache.v_dim, cache.v_dim, cache.v, slot * cache.v_dim);
    }
  }
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
