// Linear layers of every type, precision and ISA: against the reference, and bit-equal rows whatever the number of
// tokens, the chunking and the number of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernel/kernel_test_data.h"
#include "kernel/linear_types.h"
#include "tensor/quant/quant.h"

namespace tribar::kernel {
namespace {

constexpr float kEpsilon = std::numeric_limits<float>::epsilon();

struct LinearCase {
  Isa isa;
  DType weight;
  Precision precision;
};

std::vector<LinearCase> cases_of(const std::vector<Precision>& precisions) {
  std::vector<LinearCase> cases;
  for (Isa isa : tested_isas()) {
    for (const LinearType& type : kLinearTypes) {
      for (Precision precision : precisions) cases.push_back({isa, type.weight, precision});
    }
  }
  return cases;
}

std::string case_name(const testing::TestParamInfo<LinearCase>& info) {
  const LinearCase& c = info.param;
  return std::string(isa_name(c.isa)) + "_" + std::string(dtype_name(c.weight)) +
         (c.precision == Precision::kExact ? "_exact" : "_fast");
}

class Linear : public testing::TestWithParam<LinearCase> {
 protected:
  const LinearKernel& kernel() const { return *find_linear(GetParam().isa, GetParam().weight, GetParam().precision); }
  const LinearKernel& reference() const {
    return *find_linear(Isa::kReference, GetParam().weight, GetParam().precision);
  }
  // What the kernel asks for: x itself or x quantised.
  Matrix activations(const LinearKernel& kernel, int64_t rows, int64_t cols, uint32_t seed) const {
    const Matrix x = random_matrix(rows, cols, seed);
    return kernel.activation == DType::kQ8Act ? quantized(Isa::kReference, x) : random_matrix(rows, cols, seed);
  }
  int64_t block() const { return dtype_info(GetParam().weight).block_elements; }
};

class ExactLinear : public Linear {};

// The error of an fp32 sum of n products grows like √n · ε/2 (a random walk; n · ε/2 at worst) times
// Σ|x||w|, which
// is at most |x| |w| by Cauchy-Schwarz. The factor four covers the other roundings.
float tolerance(const TensorView& x, const TestWeight& w) {
  const int64_t n = x.cols;
  std::vector<float> row(static_cast<size_t>(n));
  const int64_t stride_bytes = static_cast<int64_t>(w.bytes.size()) / w.view.rows;
  double largest = 0.0;
  for (int64_t r = 0; r < w.view.rows; ++r) {
    quant::dequantize_row(w.view.dtype, w.view.data + r * stride_bytes, row.data(), n);
    double squares = 0.0;
    for (float v : row) squares += static_cast<double>(v) * v;
    largest = std::max(largest, std::sqrt(squares));
  }
  const double x_norm = root_mean_square(x) * std::sqrt(static_cast<double>(n) * static_cast<double>(x.rows));
  return static_cast<float>(2.0 * kEpsilon * std::sqrt(static_cast<double>(n)) * largest * x_norm) + 1e-12f;
}

TEST_P(Linear, MatchesReferenceForManyShapes) {
  const std::vector<int64_t> tokens = {1, 2, 3, 5, 8, 19};
  for (int64_t blocks = 1; blocks <= 257; blocks = blocks < 5 ? blocks + 1 : blocks * 2 + 1) {
    const int64_t cols = blocks * block();
    if (cols > 600) break;
    for (int64_t rows : {1, 16, 33}) {
      const int64_t n_tokens = tokens[static_cast<size_t>(blocks + rows) % tokens.size()];
      const TestWeight w = random_weight(GetParam().weight, rows, cols, static_cast<uint32_t>(cols + rows));
      const Matrix x = activations(kernel(), n_tokens, cols, 3);
      const Matrix reference_x = activations(reference(), n_tokens, cols, 3);
      const Matrix bias = random_matrix(1, rows, 4);
      const float* b = rows % 2 == 0 ? bias.view().f32(0) : nullptr;
      Matrix expected(n_tokens, rows);
      run_sharded(reference().run, {reference_x.view(), w.view, b, expected.view()}, 1);

      const PreparedWeight prepared(kernel(), w, 3);
      Matrix y(n_tokens, rows);
      run_sharded(kernel().run, {x.view(), prepared.view(), b, y.view()}, 2);
      ASSERT_LE(max_error(y.view(), expected.view()),
                tolerance(random_matrix(n_tokens, cols, 3).view(), w) + 16 * kEpsilon)
          << rows << " rows, " << cols << " cols, " << n_tokens << " tokens";
      ASSERT_TRUE(y.gaps_untouched());
    }
  }
}

TEST_P(Linear, ARowIsTheSameAloneInChunksAndOnAnyNumberOfThreads) {
  constexpr int64_t kTokens = 530;
  constexpr int64_t kRows = 37;
  const int64_t cols = block() == 1 ? 611 : 3 * 256;  // two chunks of depth
  const TestWeight w = random_weight(GetParam().weight, kRows, cols, 9);
  const PreparedWeight prepared(kernel(), w);
  const PreparedWeight prepared_by_three(kernel(), w, 3);
  const Matrix x = activations(kernel(), kTokens, cols, 3);
  const Matrix bias = random_matrix(1, kRows, 4);
  const float* b = bias.view().f32(0);
  Matrix whole(kTokens, kRows);
  run_sharded(kernel().run, {x.view(), prepared.view(), b, whole.view()}, 1);

  // Tokens [begin, end) in chunks.
  struct Split {
    int64_t begin;
    int64_t end;
    int64_t chunk;
    int shards;
  };
  for (const Split& split : {Split{0, 3, 1, 1}, Split{510, 514, 1, 3}, Split{0, 49, 7, 2}, Split{0, 130, 64, 3},
                             Split{0, kTokens, 512, 5}}) {
    Matrix y(kTokens, kRows);
    for (int64_t t = split.begin; t < split.end; t += split.chunk) {
      const int64_t end = std::min(t + split.chunk, split.end);
      run_sharded(kernel().run, {x.rows(t, end), prepared_by_three.view(), b, y.rows(t, end)}, split.shards);
    }
    EXPECT_TRUE(bit_equal(y.rows(split.begin, split.end), whole.rows(split.begin, split.end)))
        << "chunk " << split.chunk << ", " << split.shards << " threads";
  }
}

// Exact means exact: against unit vectors the layer gives the dequantised weights, bit for bit.
TEST_P(ExactLinear, ReadsTheDequantisedWeights) {
  constexpr int64_t kRows = 19;
  const int64_t cols = block() == 1 ? 100 : 256;
  const TestWeight w = random_weight(GetParam().weight, kRows, cols, 9);
  Matrix unit(cols, cols);
  for (int64_t r = 0; r < cols; ++r) {
    for (int64_t c = 0; c < cols; ++c) unit.at(r, c) = r == c ? 1.0f : 0.0f;
  }
  const PreparedWeight prepared(kernel(), w);
  Matrix y(cols, kRows);
  run_sharded(kernel().run, {unit.view(), prepared.view(), nullptr, y.view()}, 1);
  std::vector<float> row(static_cast<size_t>(cols));
  for (int64_t r = 0; r < kRows; ++r) {
    const int64_t stride_bytes = static_cast<int64_t>(w.bytes.size()) / kRows;
    quant::dequantize_row(w.view.dtype, w.view.data + r * stride_bytes, row.data(), cols);
    for (int64_t c = 0; c < cols; ++c) ASSERT_EQ(y.at(c, r), row[static_cast<size_t>(c)]) << r << " " << c;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Linear, testing::ValuesIn(cases_of({Precision::kExact, Precision::kFast})), case_name);
INSTANTIATE_TEST_SUITE_P(All, ExactLinear, testing::ValuesIn(cases_of({Precision::kExact})), case_name);

TEST(Linear, ActivationsWithNanGiveNanInTheirRowOnly) {
  for (Isa isa : tested_isas()) {
    for (DType type : {DType::kF32, DType::kQ4_0, DType::kQ4_K, DType::kQ6_K}) {
      const LinearKernel& kernel = *find_linear(isa, type, Precision::kFast);
      Matrix x = random_matrix(3, 256, 1);
      x.at(1, 100) = std::numeric_limits<float>::quiet_NaN();
      const TestWeight w = random_weight(type, 20, 256, 2);
      const PreparedWeight prepared(kernel, w);
      const Matrix q = quantized(isa, x);
      Matrix y(3, 20);
      run_sharded(kernel.run,
                  {kernel.activation == DType::kQ8Act ? q.view() : x.view(), prepared.view(), nullptr, y.view()}, 1);
      for (int64_t n = 0; n < 20; ++n) {
        EXPECT_TRUE(std::isfinite(y.at(0, n)) && std::isfinite(y.at(2, n))) << isa_name(isa) << dtype_name(type);
        EXPECT_TRUE(std::isnan(y.at(1, n))) << isa_name(isa) << dtype_name(type);
      }
    }
  }
}

}  // namespace
}  // namespace tribar::kernel
