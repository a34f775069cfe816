#include "tensor/dtype.h"

#include <gtest/gtest.h>

#include "tensor/act_q8.h"

namespace tribar {
namespace {

TEST(DType, GgufIdsAreReadBack) {
  for (int i = 0; i < static_cast<int>(DType::kQ8Act); ++i) {
    const DType type = static_cast<DType>(i);
    const DTypeInfo& info = dtype_info(type);
    ASSERT_GE(info.gguf_id, 0) << info.name;
    EXPECT_EQ(dtype_from_gguf(static_cast<uint32_t>(info.gguf_id)), type) << info.name;
    EXPECT_EQ(gguf_type_name(static_cast<uint32_t>(info.gguf_id)), info.name);
  }
}

TEST(DType, UnreadableNumbersHaveNames) {
  EXPECT_EQ(dtype_from_gguf(16), std::nullopt);
  EXPECT_EQ(gguf_type_name(16), "IQ2_XXS");
  EXPECT_EQ(gguf_type_name(35), "TQ2_0");
  EXPECT_EQ(dtype_from_gguf(0xffffffffu), std::nullopt);
  EXPECT_EQ(gguf_type_name(0xffffffffu), "type 4294967295");
}

TEST(DType, RowBytesCountsWholeBlocks) {
  EXPECT_EQ(row_bytes(DType::kF32, 3), 12);
  EXPECT_EQ(row_bytes(DType::kQ4_K, 4096), 16 * 144);
  EXPECT_EQ(row_bytes(DType::kQ4_K, 4095), std::nullopt);
  EXPECT_EQ(row_bytes(DType::kMXFP4, 0), 0);
  EXPECT_EQ(row_bytes(DType::kF32, -1), std::nullopt);
  EXPECT_EQ(row_bytes(DType::kF32, INT64_MAX), std::nullopt);
  EXPECT_EQ(row_bytes(DType::kI8, INT64_MAX), INT64_MAX);
  EXPECT_EQ(row_bytes(DType::kQ8Act, 100), act_q8::row_stride_bytes(100));
  EXPECT_EQ(row_bytes(DType::kQ8Act, INT64_MAX), std::nullopt);
}

}  // namespace
}  // namespace tribar
