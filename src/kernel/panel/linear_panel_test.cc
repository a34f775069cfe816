// Packed linear layers of every instruction set: every remainder of tokens and rows, extreme codes, packed sizes.
// linear_test.cc beside the table has what all linear kernels promise: exact weights, invariant rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernel/kernel_test_data.h"
#include "kernel/linear_types.h"
#include "kernel/table.h"
#include "tensor/act_q8.h"
#include "tensor/quant/quant.h"

namespace tribar::kernel {
namespace {

struct Case {
  const LinearKernel* kernel;
  Isa isa;
};

std::vector<Case> packed_kernels(Precision precision) {
  std::vector<Case> out;
  for (Isa isa : tested_isas()) {
    for (const LinearType& type : kLinearTypes) {
      const LinearKernel* kernel = find_linear(isa, type.weight, precision);
      if (kernel != nullptr && kernel->panel_rows > 0) out.push_back({kernel, isa});
    }
  }
  return out;
}

int64_t block_elements(DType type) { return dtype_info(type).block_elements; }

// The smallest numbers of columns that reach one block, a half-filled panel block, several blocks and chunks.
std::vector<int64_t> tested_cols(DType type) {
  if (block_elements(type) == 256) return {256, 768, 2304};
  if (block_elements(type) == 32) return {32, 64, 160, 320, 2144};
  return {1, 31, 128, 131, 300};
}

// The rounding error of a sum in fp32 is a small multiple of epsilon times the norms of what is multiplied.
float tolerance(const TensorView& x, const TestWeight& weight) {
  const int64_t cols = weight.view.cols;
  const int64_t stride = *row_bytes(weight.view.dtype, cols);
  std::vector<float> row(static_cast<size_t>(cols));
  double largest = 0.0;
  for (int64_t n = 0; n < weight.view.rows; ++n) {
    quant::dequantize_row(weight.view.dtype, weight.bytes.data() + n * stride, row.data(), cols);
    double squares = 0.0;
    for (float w : row) squares += static_cast<double>(w) * w;
    largest = std::max(largest, std::sqrt(squares));
  }
  const double x_norm = root_mean_square(x) * std::sqrt(static_cast<double>(x.rows * cols));
  constexpr double kBias = 16.0;  // above every bias of the test, which is added with one more rounding
  return static_cast<float>(std::numeric_limits<float>::epsilon() * (8.0 * x_norm * largest + kBias));
}

TEST(PackedLinear, PackedSizeStaysNearTheFiles) {
  for (Precision precision : {Precision::kFast, Precision::kExact}) {
    for (const Case& c : packed_kernels(precision)) {
      const int64_t file_bytes = 1536 * *row_bytes(c.kernel->weight, 2048);
      EXPECT_LE(static_cast<double>(c.kernel->packed_bytes(1536, 2048)), 1.08 * static_cast<double>(file_bytes))
          << c.kernel->name;
    }
  }
}

// Embedding rows from panels are those of the file, to the bit: every type, the last panel half filled.
TEST(PackedLinear, EmbedsRowsFromPanelsAsFromTheFile) {
  const std::vector<int32_t> ids = {16, 0, 3, 15, 3, 7, 8};
  const auto tokens = static_cast<int64_t>(ids.size());
  for (Precision precision : {Precision::kFast, Precision::kExact}) {
    for (const Case& c : packed_kernels(precision)) {
      for (int64_t cols : tested_cols(c.kernel->weight)) {
        const TestWeight table = random_weight(c.kernel->weight, 17, cols, 5);
        const PreparedWeight packed(*c.kernel, table);
        Matrix y(tokens, cols), expected(tokens, cols);
        kernel_table(Isa::kReference).embed({ids.data(), table.view, 1.5f, expected.view()}, {});
        run_sharded(kernel_table(c.isa).embed, {ids.data(), packed.view(), 1.5f, y.view(), c.kernel->unpack_row}, 2);
        ASSERT_TRUE(y.gaps_untouched()) << c.kernel->name;
        ASSERT_TRUE(bit_equal(y.view(), expected.view())) << c.kernel->name << " cols " << cols;
      }
    }
  }
}

// The same arithmetic as the scalar reference on the same activations, in another order.
TEST(PackedLinear, AgreesWithTheReferenceAtEveryTileBorder) {
  for (Precision precision : {Precision::kFast, Precision::kExact}) {
    for (const Case& c : packed_kernels(precision)) {
      for (int64_t cols : tested_cols(c.kernel->weight)) {
        for (int64_t rows : {1, 16, 17, 40}) {
          if (cols > 2048 && rows != 17) continue;
          const TestWeight weight = random_weight(c.kernel->weight, rows, cols, 5);
          const PreparedWeight packed(*c.kernel, weight);
          const Matrix bias = random_matrix(1, rows, 6);
          for (int64_t tokens : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 25}) {
            const Matrix x = random_matrix(tokens, cols, static_cast<uint32_t>(tokens));
            const Matrix input = c.kernel->activation == DType::kQ8Act
                                     ? quantized(c.isa, x)
                                     : random_matrix(tokens, cols, static_cast<uint32_t>(tokens));
            Matrix y(tokens, rows), expected(tokens, rows);
            const LinearKernel* reference = find_linear(Isa::kReference, c.kernel->weight, precision);
            reference->run({input.view(), weight.view, bias.view().f32(0), expected.view()}, {});
            run_sharded(c.kernel->run, {input.view(), packed.view(), bias.view().f32(0), y.view()}, 3);
            ASSERT_TRUE(y.gaps_untouched()) << c.kernel->name;
            ASSERT_LE(max_error(y.view(), expected.view()), tolerance(x.view(), weight))
                << c.kernel->name << " rows " << rows << " cols " << cols << " tokens " << tokens;
          }
        }
      }
    }
  }
}

// Rows with one scale for 256 columns: what `run` makes of them but for rounding; the same bits whatever the tokens.
TEST(PackedLinear, WideGroupsAgreeAndKeepRowsInvariant) {
  for (const Case& c : packed_kernels(Precision::kFast)) {
    if (c.kernel->run_wide == nullptr) continue;
    for (int64_t cols : tested_cols(c.kernel->weight)) {
      constexpr int64_t kRows = 17;
      constexpr int64_t kTokens = 25;
      const TestWeight weight = random_weight(c.kernel->weight, kRows, cols, 5);
      const PreparedWeight packed(*c.kernel, weight);
      const Matrix bias = random_matrix(1, kRows, 6);
      const Matrix x = random_matrix(kTokens, cols, 7);
      Matrix input(kTokens, cols, DType::kQ8Act);
      kernel_table(c.isa).quantize({x.view(), input.view(), act_q8::kWideGroup}, {});
      Matrix y(kTokens, kRows), expected(kTokens, kRows);
      find_linear(Isa::kReference, c.kernel->weight, Precision::kFast)
          ->run({input.view(), weight.view, bias.view().f32(0), expected.view()}, {});
      run_sharded(c.kernel->run_wide, {input.view(), packed.view(), bias.view().f32(0), y.view()}, 2);
      ASSERT_TRUE(y.gaps_untouched()) << c.kernel->name;
      ASSERT_LE(max_error(y.view(), expected.view()), tolerance(x.view(), weight)) << c.kernel->name << " " << cols;
      for (int64_t tokens : {1, 2, 3, 4, 5, 7, 8, 9, 17}) {
        Matrix some(tokens, kRows);
        c.kernel->run_wide({input.rows(0, tokens), packed.view(), bias.view().f32(0), some.view()}, {});
        ASSERT_EQ(max_error(some.view(), y.rows(0, tokens)), 0.0f) << c.kernel->name << " tokens " << tokens;
      }
    }
  }
}

// The largest codes against the largest activations: where 16-bit partial sums would saturate.
TEST(PackedLinear, ExtremeCodesAreExact) {
  constexpr int64_t kCols = 256;
  const auto pattern = [](int64_t row, int64_t i) {
    const float sign = i % 2 == 0 ? 1.0f : -1.0f;
    return row == 0 ? 1.0f : row == 1 ? -1.0f : row == 2 ? sign : -sign;
  };
  for (const Case& c : packed_kernels(Precision::kFast)) {
    if (c.kernel->activation != DType::kQ8Act) continue;
    Matrix x(4, kCols), y(4, 4), expected(4, 4);
    for (int64_t r = 0; r < 4; ++r) {
      for (int64_t i = 0; i < kCols; ++i) x.at(r, i) = pattern(r, i);
    }
    TestWeight weight = random_weight(c.kernel->weight, 4, kCols, 1);
    const int64_t stride = *row_bytes(c.kernel->weight, kCols);
    for (int64_t r = 0; r < 4; ++r) {
      quant::quantize_row(c.kernel->weight, x.view().f32(r), weight.bytes.data() + r * stride, kCols);
    }
    if (c.kernel->weight == DType::kQ8_0) {
      // -128, which no writer makes but a file may hold; each block is a half-precision scale and 32 codes.
      for (int64_t i = 0; i < stride; ++i) {
        if (i % 34 >= 2) weight.bytes[static_cast<size_t>(i)] = std::byte{0x80};
      }
    }
    const Matrix input = quantized(c.isa, x);
    const PreparedWeight packed(*c.kernel, weight);
    find_linear(Isa::kReference, c.kernel->weight, Precision::kFast)
        ->run({input.view(), weight.view, nullptr, expected.view()}, {});
    c.kernel->run({input.view(), packed.view(), nullptr, y.view()}, {});
    EXPECT_LE(max_error(y.view(), expected.view()), 1e-3f) << c.kernel->name;  // of sums of up to 256
  }
}

}  // namespace
}  // namespace tribar::kernel
