#include "kernel/kv_address.h"
#include "kernel/reference/reference.h"
#include "tensor/half.h"

namespace tribar::kernel::reference {
namespace {

void store_row(DType dtype, const float* source, int64_t n, void* cache, int64_t offset) {
  for (int64_t i = 0; i < n; ++i) {
    if (dtype == DType::kF16) {
      static_cast<uint16_t*>(cache)[offset + i] = f32_to_f16(source[i]);
    } else {
      static_cast<float*>(cache)[offset + i] = source[i];
    }
  }
}

}  // namespace

void kv_append(const KvAppendArgs& args, Shard shard) {
  const KvView& cache = args.cache;
  for (const SequenceView& sequence : args.sequences) {
    const auto [begin, end] = shard.range(sequence.token_count);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t t = sequence.token_begin + i;
      const int64_t position = sequence.kv_length - sequence.token_count + i;
      for (int64_t h = 0; h < cache.kv_heads; ++h) {
        const int64_t slot = kv_slot(cache, sequence, h, position);
        store_row(cache.dtype, args.k.f32(t) + h * cache.k_dim, cache.k_dim, cache.k, slot * cache.k_dim);
        store_row(cache.dtype, args.v.f32(t) + h * cache.v_dim, cache.v_dim, cache.v, slot * cache.v_dim);
      }
    }
  }
}

}  // namespace tribar::kernel::reference
