#include "runtime/kv/kv_cache.h"

#include <string>
#include <utility>

#include "base/checked_int.h"
#include "base/huge_pages.h"

namespace tribar::runtime {
namespace {

constexpr int64_t kAlignment = 64;

struct LayerBytes {
  int64_t k = 0;
  int64_t v = 0;
};

std::optional<int64_t> product(std::initializer_list<int64_t> factors) {
  std::optional<int64_t> out = 1;
  for (const int64_t f : factors) {
    if (out) out = f < 0 ? std::nullopt : checked_mul(*out, f);
  }
  return out;
}

std::optional<int64_t> aligned(std::optional<int64_t> bytes) {
  if (bytes) bytes = checked_add(*bytes, kAlignment - 1);
  return bytes ? std::optional(*bytes / kAlignment * kAlignment) : std::nullopt;
}

// Of `blocks` blocks of one layer, each part rounded up to a cache line.
std::optional<LayerBytes> layer_bytes(const graph::KvSpec& layer, const KvCacheOptions& options, int64_t blocks) {
  const int64_t element = dtype_info(options.dtype).block_bytes;
  const std::optional<int64_t> rows = product({blocks, layer.kv_heads, options.block_tokens, element});
  if (!rows) return std::nullopt;
  const std::optional<int64_t> k = aligned(product({*rows, layer.k_dim}));
  const std::optional<int64_t> v = aligned(product({*rows, layer.v_dim}));
  if (!k || !v) return std::nullopt;
  return LayerBytes{*k, *v};
}

std::optional<int64_t> total_bytes(const std::vector<graph::KvSpec>& layers, const KvCacheOptions& options,
                                   int64_t blocks) {
  std::optional<int64_t> total = 0;
  for (const graph::KvSpec& layer : layers) {
    const std::optional<LayerBytes> bytes = layer_bytes(layer, options, blocks);
    if (total) total = bytes ? checked_add(*total, bytes->k) : std::nullopt;
    if (total) total = checked_add(*total, bytes->v);
  }
  return total;
}

class HugePageKvCache final : public KvCache {
 public:
  HugePageKvCache(const std::vector<graph::KvSpec>& layers, const KvCacheOptions& options, HugeBuffer memory)
      : options_(options), memory_(std::move(memory)) {
    std::byte* next = memory_.data();
    for (const graph::KvSpec& layer : layers) {
      const LayerBytes bytes = *layer_bytes(layer, options, options.blocks);
      views_.push_back(
          {next, next + bytes.k, options.dtype, options.block_tokens, layer.kv_heads, layer.k_dim, layer.v_dim});
      next += bytes.k + bytes.v;
    }
  }

  const kernel::KvView& view(int32_t layer) const override { return views_[static_cast<size_t>(layer)]; }
  const KvCacheOptions& options() const override { return options_; }
  uint64_t bytes() const override { return memory_.size(); }

 private:
  KvCacheOptions options_;
  HugeBuffer memory_;
  std::vector<kernel::KvView> views_;
};

}  // namespace

std::optional<int64_t> KvCache::block_bytes(const std::vector<graph::KvSpec>& layers, const KvCacheOptions& options) {
  return total_bytes(layers, options, 1);
}

Result<std::unique_ptr<KvCache>> KvCache::create(const std::vector<graph::KvSpec>& layers,
                                                 const KvCacheOptions& options) {
  TRIBAR_CHECK(options.dtype == DType::kF16 || options.dtype == DType::kF32);
  const std::optional<int64_t> bytes = total_bytes(layers, options, options.blocks);
  if (!bytes)
    return resource_exhausted("the KV cache of " + std::to_string(options.blocks) + " blocks is larger than memory");
  Result<HugeBuffer> memory = HugeBuffer::allocate(static_cast<size_t>(*bytes));
  if (!memory.ok()) return memory.status().with_context("KV cache");
  return std::unique_ptr<KvCache>(std::make_unique<HugePageKvCache>(layers, options, std::move(*memory)));
}

}  // namespace tribar::runtime
