// Attention and the cache it reads: against the reference, over paged blocks in any order, and bit-equal however the
// tokens are cut into steps and threads. Cache slots that hold no token are NaN.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "kernel/kernel_test_data.h"

namespace tribar::kernel {
namespace {

constexpr float kEpsilon = std::numeric_limits<float>::epsilon();

struct Shape {
  int64_t heads = 4;
  int64_t kv_heads = 2;
  int64_t k_dim = 64;
  int64_t v_dim = 64;
  int64_t block_tokens = 32;
  int64_t window = 0;
  float softcap = 0.0f;
  bool sinks = false;
  DType dtype = DType::kF32;
};

std::string describe(const Shape& s) {
  return "heads " + std::to_string(s.heads) + "/" + std::to_string(s.kv_heads) + " dims " + std::to_string(s.k_dim) +
         "/" + std::to_string(s.v_dim) + " block " + std::to_string(s.block_tokens) + " window " +
         std::to_string(s.window) + (s.softcap > 0 ? " softcap" : "") + (s.sinks ? " sinks " : " ") +
         std::string(dtype_name(s.dtype));
}

// One layer's cache and one sequence in it, its blocks scattered.
class Cache {
 public:
  Cache(const Shape& shape, int64_t max_tokens) : shape_(shape) {
    const int64_t blocks = (max_tokens + shape.block_tokens - 1) / shape.block_tokens;
    table_.resize(static_cast<size_t>(blocks));
    std::iota(table_.begin(), table_.end(), 0);
    std::reverse(table_.begin(), table_.end());
    if (blocks > 2) std::swap(table_[0], table_[1]);
    const auto slots = static_cast<size_t>(blocks * shape.block_tokens * shape.kv_heads);
    const size_t element = shape.dtype == DType::kF16 ? 2 : 4;
    k_.assign(slots * static_cast<size_t>(shape.k_dim) * element, std::byte{0xff});
    v_.assign(slots * static_cast<size_t>(shape.v_dim) * element, std::byte{0xff});
  }
  KvView view() {
    return {k_.data(), v_.data(), shape_.dtype, shape_.block_tokens, shape_.kv_heads, shape_.k_dim, shape_.v_dim};
  }
  SequenceView sequence(int64_t begin, int64_t count, int64_t length) const {
    return {begin, count, length, table_.data()};
  }
  const std::vector<std::byte>& keys() const { return k_; }
  const std::vector<std::byte>& values() const { return v_; }

 private:
  Shape shape_;
  std::vector<int32_t> table_;
  std::vector<std::byte> k_;
  std::vector<std::byte> v_;
};

struct Inputs {
  Matrix q;
  Matrix k;
  Matrix v;
  Matrix sinks;
  Inputs(const Shape& s, int64_t tokens, uint32_t seed)
      : q(random_matrix(tokens, s.heads * s.k_dim, seed)),
        k(random_matrix(tokens, s.kv_heads * s.k_dim, seed + 1)),
        v(random_matrix(tokens, s.kv_heads * s.v_dim, seed + 2)),
        sinks(random_matrix(1, s.heads, seed + 3)) {}
};

// The first y->rows tokens of one sequence in steps of `chunk`: appended, then attended.
void attend_in_chunks(Isa isa, const Shape& s, const Inputs& in, int64_t chunk, int shards, Cache* cache, Matrix* y) {
  const KernelTable& table = kernel_table(isa);
  const int64_t tokens = y->view().rows;
  for (int64_t begin = 0; begin < tokens; begin += chunk) {
    const int64_t end = std::min(begin + chunk, tokens);
    const SequenceView sequence = cache->sequence(0, end - begin, end);
    run_sharded(table.kv_append, {in.k.rows(begin, end), in.v.rows(begin, end), cache->view(), {&sequence, 1}}, shards);
    const AttentionArgs args{in.q.rows(begin, end),
                             cache->view(),
                             {&sequence, 1},
                             s.heads,
                             1.0f / std::sqrt(static_cast<float>(s.k_dim)),
                             s.softcap,
                             s.window,
                             s.sinks ? in.sinks.view().f32(0) : nullptr,
                             y->rows(begin, end)};
    run_sharded(table.attention, args, shards);
  }
}

std::vector<Shape> shapes() {
  return {
      {},
      {.heads = 3, .kv_heads = 1},
      {.heads = 8, .kv_heads = 8, .k_dim = 32, .v_dim = 32, .dtype = DType::kF16},
      {.k_dim = 24, .v_dim = 16},
      {.k_dim = 192, .v_dim = 128},
      {.k_dim = 128, .v_dim = 128, .dtype = DType::kF16},
      {.heads = 2, .kv_heads = 1, .k_dim = 256, .v_dim = 256, .dtype = DType::kF16},
      {.heads = 2, .kv_heads = 1, .k_dim = 19, .v_dim = 37, .dtype = DType::kF16},
      {.block_tokens = 16, .window = 12},
      {.window = 33, .dtype = DType::kF16},
      {.window = 64, .softcap = 2.0f},
      {.softcap = 50.0f, .dtype = DType::kF16},
      {.heads = 8, .kv_heads = 2, .sinks = true},
      {.block_tokens = 48, .window = 8, .sinks = true, .dtype = DType::kF16},
  };
}

// Scores reach about 30, so their rounding moves a weight by 30 ε; weights sum to 1 and values reach 30.
constexpr float kTolerance = 30 * 30 * kEpsilon;

TEST(Attention, MatchesReferenceForEveryLength) {
  for (const Shape& s : shapes()) {
    for (int64_t tokens : {1, 2, 31, 32, 33, 64, 97, 150}) {
      const Inputs in(s, tokens, static_cast<uint32_t>(tokens));
      Cache reference_cache(s, 160);
      Matrix expected(tokens, s.heads * s.v_dim);
      attend_in_chunks(Isa::kReference, s, in, tokens, 1, &reference_cache, &expected);
      for (Isa isa : tested_isas()) {
        Cache cache(s, 160);
        Matrix y(tokens, s.heads * s.v_dim);
        attend_in_chunks(isa, s, in, tokens, 2, &cache, &y);
        ASSERT_LE(max_error(y.view(), expected.view()), kTolerance)
            << isa_name(isa) << " " << tokens << " " << describe(s);
        ASSERT_TRUE(y.gaps_untouched());
        ASSERT_EQ(cache.keys(), reference_cache.keys()) << isa_name(isa) << " " << describe(s);
        ASSERT_EQ(cache.values(), reference_cache.values()) << isa_name(isa) << " " << describe(s);
      }
    }
  }
}

TEST(Attention, BitsDoNotDependOnChunksOrThreads) {
  constexpr int64_t kTokens = 515;
  for (const Shape& s : shapes()) {
    const Inputs in(s, kTokens, 7);
    for (Isa isa : tested_isas()) {
      Cache whole_cache(s, kTokens);
      Matrix whole(kTokens, s.heads * s.v_dim);
      attend_in_chunks(isa, s, in, kTokens, 1, &whole_cache, &whole);
      struct Split {
        int64_t tokens;
        int64_t chunk;
        int shards;
      };
      for (const Split& split : {Split{40, 1, 3}, Split{100, 7, 2}, Split{200, 64, 5}, Split{kTokens, 512, 3}}) {
        Cache cache(s, kTokens);
        Matrix y(split.tokens, s.heads * s.v_dim);
        attend_in_chunks(isa, s, in, split.chunk, split.shards, &cache, &y);
        ASSERT_TRUE(bit_equal(y.view(), whole.rows(0, split.tokens)))
            << isa_name(isa) << " chunk " << split.chunk << " " << describe(s);
      }
    }
  }
}

TEST(Attention, ASequenceDoesNotFeelTheOthersOfItsStep) {
  for (const Shape& s : {Shape{}, Shape{.window = 12, .dtype = DType::kF16}}) {
    const Inputs in(s, 70, 7);
    for (Isa isa : tested_isas()) {
      Cache cache(s, 70);
      Matrix alone(70, s.heads * s.v_dim);
      attend_in_chunks(isa, s, in, 70, 1, &cache, &alone);

      // The same tokens again, as the last 30 of one sequence and 3 of another that shares its blocks.
      const SequenceView both[] = {cache.sequence(40, 30, 70), cache.sequence(10, 3, 13)};
      Matrix y(70, s.heads * s.v_dim);
      const AttentionArgs args{in.q.view(), cache.view(), both,    s.heads, 1.0f / 8.0f,
                               s.softcap,   s.window,     nullptr, y.view()};
      run_sharded(kernel_table(isa).attention, args, 3);
      EXPECT_TRUE(bit_equal(y.rows(40, 70), alone.rows(40, 70))) << isa_name(isa);
      EXPECT_TRUE(bit_equal(y.rows(10, 13), alone.rows(10, 13))) << isa_name(isa);
    }
  }
}

// The window is exact: one key more is another answer.
TEST(Attention, WindowCountsTheTokenItself) {
  for (Isa isa : kAllIsas) {
    if (!isa_supported(isa)) continue;
    const Shape s{.heads = 1, .kv_heads = 1, .k_dim = 8, .v_dim = 8, .window = 1};
    const Inputs in(s, 40, 7);
    Cache cache(s, 40);
    Matrix y(40, 8);
    attend_in_chunks(isa, s, in, 40, 1, &cache, &y);
    EXPECT_LE(max_error(y.view(), in.v.view()), 1e-6f) << isa_name(isa);  // only itself: its own value
  }
}

}  // namespace
}  // namespace tribar::kernel
