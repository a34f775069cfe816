#include <gtest/gtest.h>

#include <set>

#include "runtime/kv/kv_allocator.h"
#include "runtime/kv/kv_cache.h"

namespace tribar::runtime {
namespace {

TEST(BlockPool, HandsOutTheLowestFreeBlocks) {
  auto pool = make_block_pool(6, 4);
  BlockTable a;
  BlockTable b;
  ASSERT_TRUE(pool->grow(&a, 5).ok());
  ASSERT_TRUE(pool->grow(&b, 4).ok());
  EXPECT_EQ(a.blocks, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(b.blocks, (std::vector<int32_t>{2}));
  pool->release(&a);
  ASSERT_TRUE(pool->grow(&b, 16).ok());
  EXPECT_EQ(b.blocks, (std::vector<int32_t>{2, 0, 1, 3}));
  EXPECT_EQ(pool->usage().free_blocks, 2);
}

TEST(BlockPool, GrowSucceedsWholeOrChangesNothing) {
  auto pool = make_block_pool(3, 4);
  BlockTable a;
  ASSERT_TRUE(pool->grow(&a, 4).ok());
  ASSERT_TRUE(pool->grow(&a, 3).ok()) << "there is room already";
  EXPECT_EQ(a.blocks.size(), 1u);
  const Status full = pool->grow(&a, 17);
  EXPECT_EQ(full.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(a.blocks.size(), 1u);
  EXPECT_EQ(pool->usage().free_blocks, 2);
  ASSERT_TRUE(pool->grow(&a, 12).ok());
  EXPECT_EQ(pool->usage().free_blocks, 0);
  pool->release(&a);
  EXPECT_EQ(pool->usage().free_blocks, 3);
}

TEST(KvCache, LayersDoNotOverlapAndStartOnCacheLines) {
  const std::vector<graph::KvSpec> layers = {{2, 5, 3, 0}, {1, 7, 7, 16}};
  const KvCacheOptions options{.dtype = DType::kF16, .block_tokens = 32, .blocks = 3};
  const Result<std::unique_ptr<KvCache>> cache = KvCache::create(layers, options);
  ASSERT_TRUE(cache.ok());
  std::set<std::pair<uintptr_t, uintptr_t>> ranges;
  for (int32_t l = 0; l < 2; ++l) {
    const kernel::KvView& view = (*cache)->view(l);
    EXPECT_EQ(view.kv_heads, layers[static_cast<size_t>(l)].kv_heads);
    for (const auto& [data, dim] : {std::pair{view.k, view.k_dim}, std::pair{view.v, view.v_dim}}) {
      const auto begin = reinterpret_cast<uintptr_t>(data);
      EXPECT_EQ(begin % 64, 0u);
      ranges.insert({begin, begin + static_cast<uintptr_t>(3 * view.kv_heads * 32 * dim * 2)});
    }
  }
  uintptr_t end = 0;
  for (const auto& range : ranges) {
    EXPECT_GE(range.first, end);
    end = range.second;
  }
  EXPECT_EQ(ranges.size(), 4u);
  EXPECT_EQ(KvCache::block_bytes(layers, options), 2 * 32 * (5 + 3) * 2 + 2 * 32 * 7 * 2);
}

TEST(KvCache, RefusesSizesThatDoNotFit) {
  const std::vector<graph::KvSpec> huge = {{int64_t{1} << 40, int64_t{1} << 20, 1, 0}};
  EXPECT_EQ(KvCache::create(huge, {.dtype = DType::kF16, .block_tokens = 32, .blocks = 8}).status().code(),
            StatusCode::kResourceExhausted);
  EXPECT_FALSE(KvCache::block_bytes(huge, {}).has_value());
  const std::vector<graph::KvSpec> large = {{int64_t{1} << 30, int64_t{1} << 14, 1, 0}};
  EXPECT_EQ(KvCache::create(large, {.dtype = DType::kF16, .block_tokens = 32, .blocks = 1}).status().code(),
            StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace tribar::runtime
