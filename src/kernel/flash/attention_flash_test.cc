// Attention of every instruction set: against the scalar reference, and bit-equal rows however the tokens are chunked.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "kernel/kernel_test_data.h"
#include "kernel/table.h"
#include "tensor/half.h"

namespace tribar::kernel {
namespace {

struct AttentionCase {
  const char* name;
  int64_t heads;
  int64_t kv_heads;
  int64_t k_dim;
  int64_t v_dim;
  int64_t block_tokens = 32;
  DType dtype = DType::kF16;
  int64_t window = 0;
  float softcap = 0.0f;
  bool sinks = false;
};

const AttentionCase kCases[] = {
    {"Plain", 4, 4, 64, 64},
    {"GroupsOfThree", 9, 3, 64, 64, 32, DType::kF32},
    {"GroupsOfSeven", 14, 2, 64, 64},
    {"GroupsOfSix", 12, 2, 128, 128, 16},
    {"OddSizes", 2, 1, 80, 24, 8, DType::kF32},
    {"TinyHead", 3, 1, 8, 5},
    {"OddKey", 3, 1, 7, 5},
    {"HeadOf80", 8, 8, 80, 80},
    {"HeadOf96", 12, 2, 96, 96},
    {"HeadOf192", 4, 2, 192, 192},
    {"Latent", 16, 1, 576, 512},
    {"Window", 4, 2, 64, 64, 32, DType::kF16, 20},
    {"WindowOfTiles", 4, 2, 32, 32, 32, DType::kF32, 64},
    {"WindowOfOne", 2, 2, 16, 16, 32, DType::kF32, 1},
    {"Softcap", 4, 1, 256, 256, 32, DType::kF16, 0, 5.0f},
    {"Sinks", 8, 1, 64, 64, 64, DType::kF16, 40, 0.0f, true},
};

// Two sequences whose blocks are mixed in one cache. Memory that no position owns is NaN: whoever reads it shows.
class AttentionData {
 public:
  static constexpr int64_t kLengths[] = {150, 37};
  explicit AttentionData(const AttentionCase& c) : c_(c) {
    const int64_t blocks = 2 * (150 / c.block_tokens + 1);
    const auto bytes = [&](int64_t dim) {
      return static_cast<size_t>(blocks * c.kv_heads * c.block_tokens * dim * (c.dtype == DType::kF16 ? 2 : 4));
    };
    k_.assign(bytes(c.k_dim), std::byte{0xff});
    v_.assign(bytes(c.v_dim), std::byte{0xff});
    view_ = {k_.data(), v_.data(), c.dtype, c.block_tokens, c.kv_heads, c.k_dim, c.v_dim};
    for (int64_t s = 0; s < 2; ++s) {
      for (int64_t b = 0; b < blocks / 2; ++b) tables_[s].push_back(static_cast<int32_t>(2 * b + 1 - s));
      const Matrix k = random_matrix(kLengths[s], c.kv_heads * c.k_dim, static_cast<uint32_t>(20 + s));
      const Matrix v = random_matrix(kLengths[s], c.kv_heads * c.v_dim, static_cast<uint32_t>(30 + s));
      const SequenceView whole{0, kLengths[s], kLengths[s], tables_[s].data()};
      kernel_table(Isa::kReference).kv_append({k.view(), v.view(), view_, {&whole, 1}}, {});
    }
    for (int64_t h = 0; h < c.heads; ++h) sinks_.push_back(0.3f * static_cast<float>(h) - 1.0f);
  }

  AttentionArgs args(const TensorView& q, std::span<const SequenceView> sequences, const TensorView& y) const {
    const float scale = 1.0f / std::sqrt(static_cast<float>(c_.k_dim));
    return {q, view_, sequences, c_.heads, scale, c_.softcap, c_.window, c_.sinks ? sinks_.data() : nullptr, y};
  }
  const int32_t* table(int64_t s) const { return tables_[s].data(); }

 private:
  const AttentionCase& c_;
  std::vector<std::byte> k_;
  std::vector<std::byte> v_;
  std::vector<int32_t> tables_[2];
  std::vector<float> sinks_;
  KvView view_;
};

class FlashAttention : public testing::TestWithParam<AttentionCase> {};

TEST_P(FlashAttention, MatchesTheReference) {
  const AttentionCase& c = GetParam();
  const AttentionData data(c);
  const int64_t tokens = 150 + 5;  // one sequence whole, of the other the last five
  const Matrix q = random_matrix(tokens, c.heads * c.k_dim, 40);
  const SequenceView sequences[] = {{0, 150, 150, data.table(0)}, {150, 5, 37, data.table(1)}};
  Matrix expected(tokens, c.heads * c.v_dim);
  run_sharded(kernel_table(Isa::kReference).attention, data.args(q.view(), sequences, expected.view()), 1);
  for (Isa isa : tested_isas()) {
    if (kernel_table(isa).attention == nullptr) continue;
    Matrix y(tokens, c.heads * c.v_dim);
    run_sharded(kernel_table(isa).attention, data.args(q.view(), sequences, y.view()), 3);
    // Softmax weights add to one: the error is a few roundings of scores and of the largest value. A score's own error
    // grows with the root of its terms.
    const float terms = std::max(1.0f, std::sqrt(static_cast<float>(c.k_dim) / 256.0f));
    EXPECT_LE(max_error(y.view(), expected.view()), terms * (2e-5f * root_mean_square(expected.view()) + 2e-5f))
        << isa_name(isa);
    EXPECT_TRUE(y.gaps_untouched()) << isa_name(isa);
  }
}

TEST_P(FlashAttention, ARowsBitsDoNotDependOnChunksThreadsOrNeighbours) {
  const AttentionCase& c = GetParam();
  const AttentionData data(c);
  const Matrix q = random_matrix(150, c.heads * c.k_dim, 40);
  constexpr int64_t kStep = 5;  // every fifth token alone
  for (Isa isa : tested_isas()) {
    if (kernel_table(isa).attention == nullptr) continue;
    Matrix alone(150, c.heads * c.v_dim);
    for (int64_t t = 0; t < 150; t += kStep) {
      const SequenceView one{0, 1, t + 1, data.table(0)};
      run_sharded(kernel_table(isa).attention, data.args(q.rows(t, t + 1), {&one, 1}, alone.rows(t, t + 1)), 1);
    }
    for (int64_t chunk : {7, 64, 150}) {
      Matrix y(150, c.heads * c.v_dim);
      for (int64_t t = 0; t < 150; t += chunk) {
        const int64_t end = std::min<int64_t>(150, t + chunk);
        const SequenceView part{0, end - t, end, data.table(0)};
        run_sharded(kernel_table(isa).attention, data.args(q.rows(t, end), {&part, 1}, y.rows(t, end)),
                    static_cast<int>(1 + chunk % 3));
      }
      for (int64_t t = 0; t < 150; t += kStep) {
        EXPECT_TRUE(bit_equal(alone.rows(t, t + 1), y.rows(t, t + 1)))
            << isa_name(isa) << " chunk " << chunk << " token " << t;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, FlashAttention, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tribar::kernel
