// Q8Act rows have the same bytes on every ISA, in every split, and keep what tensor/act_q8.h promises.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "kernel/kernel_test_data.h"

namespace tribar::kernel {
namespace {

struct Row {
  const int8_t* q;
  const float* scale;
  const int16_t* sum;
};

Row row_of(const Matrix& m, int64_t r) {
  const std::byte* row = m.view().row<std::byte>(r);
  const int64_t cols = m.view().cols;
  return {reinterpret_cast<const int8_t*>(row), reinterpret_cast<const float*>(row + act_q8::scale_offset_bytes(cols)),
          reinterpret_cast<const int16_t*>(row + act_q8::sum_offset_bytes(cols))};
}

// The bytes that have a meaning: padding after the sums is free.
int64_t meaningful_bytes(int64_t cols) { return act_q8::sum_offset_bytes(cols) + act_q8::padded_cols(cols) / 16 * 2; }

void expect_same_rows(const Matrix& a, const Matrix& b) {
  for (int64_t r = 0; r < a.view().rows; ++r) {
    ASSERT_EQ(std::memcmp(a.view().row<std::byte>(r), b.view().row<std::byte>(r),
                          static_cast<size_t>(meaningful_bytes(a.view().cols))),
              0)
        << "row " << r << " of " << a.view().cols << " columns";
  }
}

TEST(Quantize, EveryIsaWritesTheSameBytes) {
  for (int64_t cols = 1; cols <= 330; ++cols) {
    const Matrix x = random_matrix(3, cols, static_cast<uint32_t>(cols));
    const Matrix expected = quantized(Isa::kReference, x);
    Matrix expected_wide(3, cols, DType::kQ8Act);
    kernel_table(Isa::kReference).quantize({x.view(), expected_wide.view(), act_q8::kWideGroup}, {});
    for (Isa isa : tested_isas()) {
      SCOPED_TRACE(isa_name(isa));
      for (int shards : {1, 2, 5}) {
        Matrix y(3, cols, DType::kQ8Act);
        run_sharded(kernel_table(isa).quantize, {x.view(), y.view()}, shards);
        ASSERT_NO_FATAL_FAILURE(expect_same_rows(y, expected));
        ASSERT_TRUE(y.gaps_untouched());
        run_sharded(kernel_table(isa).quantize, {x.view(), y.view(), act_q8::kWideGroup}, shards);
        ASSERT_NO_FATAL_FAILURE(expect_same_rows(y, expected_wide));
      }
    }
  }
}

TEST(Quantize, TiesGoToEven) {
  Matrix x(1, 32);
  for (int64_t i = 0; i < 32; ++i) x.at(0, i) = static_cast<float>(i) - 15.5f;
  x.at(0, 0) = 127.0f;  // scale 1
  for (Isa isa : tested_isas()) {
    const Matrix y = quantized(isa, x);
    EXPECT_EQ(row_of(y, 0).scale[0], 1.0f);
    EXPECT_EQ(row_of(y, 0).q[0], 127);
    for (int64_t i = 1; i < 32; ++i) EXPECT_EQ(row_of(y, 0).q[i], std::nearbyint(x.at(0, i))) << isa_name(isa);
  }
}

TEST(Quantize, ErrorIsHalfAStepAndSumsAreRight) {
  const Matrix x = random_matrix(2, 200, 4);
  for (Isa isa : tested_isas()) {
    const Matrix y = quantized(isa, x);
    const Row row = row_of(y, 1);
    for (int64_t i = 0; i < 200; ++i) {
      EXPECT_LE(std::fabs(row.scale[i / 32] * row.q[i] - x.at(1, i)), 0.5001f * row.scale[i / 32]) << isa_name(isa);
    }
    for (int64_t g = 0; g < act_q8::padded_cols(200) / 16; ++g) {
      int sum = 0;
      for (int64_t i = 16 * g; i < 16 * g + 16; ++i) sum += row.q[i];
      EXPECT_EQ(row.sum[g], sum) << isa_name(isa);
    }
    for (int64_t i = 200; i < act_q8::padded_cols(200); ++i) EXPECT_EQ(row.q[i], 0) << isa_name(isa);
  }
}

TEST(Quantize, SpecialGroups) {
  Matrix x(1, 160);
  for (int64_t i = 0; i < 160; ++i) x.at(0, i) = 1.0f;
  for (int64_t i = 0; i < 32; ++i) x.at(0, i) = i == 5 ? -0.0f : 0.0f;
  for (int64_t i = 32; i < 64; ++i) x.at(0, i) = 1e-38f;  // would need a subnormal scale
  x.at(0, 70) = std::numeric_limits<float>::infinity();
  x.at(0, 100) = -std::numeric_limits<float>::quiet_NaN();
  x.at(0, 130) = std::numeric_limits<float>::max();
  for (Isa isa : kAllIsas) {
    if (!isa_supported(isa)) continue;
    SCOPED_TRACE(isa_name(isa));
    const Matrix y = quantized(isa, x);
    const Row row = row_of(y, 0);
    EXPECT_EQ(row.scale[0], 0.0f);
    EXPECT_EQ(row.scale[1], 0.0f);
    EXPECT_TRUE(std::isnan(row.scale[2]));
    EXPECT_TRUE(std::isnan(row.scale[3]));
    EXPECT_EQ(row.scale[4], std::numeric_limits<float>::max() / 127.0f);
    for (int64_t i = 0; i < 128; ++i) EXPECT_EQ(row.q[i], 0) << i;
    EXPECT_EQ(row.q[130], 127);
    ASSERT_NO_FATAL_FAILURE(expect_same_rows(y, quantized(Isa::kReference, x)));
  }
}

}  // namespace
}  // namespace tribar::kernel
