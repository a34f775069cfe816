#include "kernel/kernel_check_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernel/kernel_test_data.h"

namespace tribar::kernel {
namespace {

struct Shape {
  int64_t heads;
  int64_t kv_heads;
  int64_t dim;
  int64_t window;
  float softcap;
  bool sinks;
  DType dtype;
};
constexpr Shape kShapes[] = {
    {4, 2, 64, 0, 0, false, DType::kF16},
    {3, 1, 128, 33, 0, false, DType::kF16},
    {2, 2, 24, 0, 50, true, DType::kF32},
};
constexpr int64_t kTokens = 70;  // three blocks
constexpr int64_t kBlockTokens = 32;
constexpr int32_t kBlocks[] = {2, 0, 1};

struct Cache {
  explicit Cache(const Shape& shape)
      : bytes(static_cast<size_t>(std::size(kBlocks) * kBlockTokens * shape.kv_heads * shape.dim *
                                  (shape.dtype == DType::kF16 ? 2 : 4))),
        k(bytes, std::byte{0xff}),
        v(bytes, std::byte{0xff}),
        view{k.data(), v.data(), shape.dtype, kBlockTokens, shape.kv_heads, shape.dim, shape.dim} {}
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
  size_t bytes;
  std::vector<std::byte> k;  // NaN where no token is
  std::vector<std::byte> v;
  KvView view;
};

// All tokens but the last as a prompt, then the last alone, as in use.
void attend(const KernelTable& table, const Shape& s, Cache* cache, Matrix* y) {
  const Matrix q = random_matrix(kTokens, s.heads * s.dim, 1);
  const Matrix k = random_matrix(kTokens, s.kv_heads * s.dim, 2);
  const Matrix v = random_matrix(kTokens, s.kv_heads * s.dim, 3);
  const Matrix sinks = random_matrix(1, s.heads, 4);
  for (const auto& [begin, end] : {std::pair<int64_t, int64_t>{0, kTokens - 1}, {kTokens - 1, kTokens}}) {
    const SequenceView sequence{0, end - begin, end, kBlocks};
    run_sharded(table.kv_append, {k.rows(begin, end), v.rows(begin, end), cache->view, {&sequence, 1}}, 2);
    run_sharded(table.attention,
                {q.rows(begin, end),
                 cache->view,
                 {&sequence, 1},
                 s.heads,
                 1.0f / std::sqrt(static_cast<float>(s.dim)),
                 s.softcap,
                 s.window,
                 s.sinks ? sinks.view().f32(0) : nullptr,
                 y->rows(begin, end)},
                2);
  }
}

double differing(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  double count = 0;
  for (size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

}  // namespace

AttentionErrors attention_errors(const KernelTable& table) {
  AttentionErrors errors;
  for (const Shape& shape : kShapes) {
    Cache cache(shape);
    Cache reference_cache(shape);
    Matrix y(kTokens, shape.heads * shape.dim);
    Matrix expected(kTokens, shape.heads * shape.dim);
    attend(table, shape, &cache, &y);
    attend(kernel_table(Isa::kReference), shape, &reference_cache, &expected);
    errors.append_bytes += differing(cache.k, reference_cache.k) + differing(cache.v, reference_cache.v);
    const double error =
        y.gaps_untouched() ? max_error(y.view(), expected.view()) : std::numeric_limits<double>::infinity();
    errors.attend = std::max(errors.attend, error);
  }
  return errors;
}

}  // namespace tribar::kernel
