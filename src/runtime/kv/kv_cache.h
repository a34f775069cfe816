// KvCache: the memory of the paged KV cache, all layers, allocated once.
//
//   TRIBAR_ASSIGN_OR_RETURN(auto cache, KvCache::create(graph.kv_layers, {.blocks = 256}));
//   cache->view(layer)   // for kernels
//
// A block holds `block_tokens` positions of every layer; which block belongs to whom is KvAllocator's business. The
// memory is zeroed and costs address space only until a block is first written.
// Errors: kResourceExhausted with the bytes asked for, also when their number does not fit in 63 bits.
// Threads: views are shared; writers of one block must not race (the engine gives a block to one sequence).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "kernel/args.h"

namespace tribar::runtime {

struct KvCacheOptions {
  DType dtype = DType::kF16;  // F32 in exact precision
  int64_t block_tokens = 32;
  int64_t blocks = 0;
};

class KvCache {
 public:
  virtual ~KvCache() = default;
  static Result<std::unique_ptr<KvCache>> create(const std::vector<graph::KvSpec>& layers,
                                                 const KvCacheOptions& options);
  // Bytes that one block takes over all layers; nullopt when the number does not fit.
  static std::optional<int64_t> block_bytes(const std::vector<graph::KvSpec>& layers, const KvCacheOptions& options);

  virtual const kernel::KvView& view(int32_t layer) const = 0;
  virtual const KvCacheOptions& options() const = 0;
  virtual uint64_t bytes() const = 0;
};

}  // namespace tribar::runtime
