// AlignedBuffer and HugeBuffer make the same promises.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/huge_pages.h"

namespace tribar {
namespace {

template <typename Buffer>
size_t promised_alignment(size_t bytes);

template <>
size_t promised_alignment<AlignedBuffer>(size_t) {
  return AlignedBuffer::kAlignment;
}

template <>
size_t promised_alignment<HugeBuffer>(size_t bytes) {
  return bytes < HugeBuffer::kHugePageBytes ? 4096 : HugeBuffer::kHugePageBytes;
}

template <typename Buffer>
class Buffers : public testing::Test {};
using BufferTypes = testing::Types<AlignedBuffer, HugeBuffer>;
TYPED_TEST_SUITE(Buffers, BufferTypes);

TYPED_TEST(Buffers, AreAlignedZeroedAndWritable) {
  for (size_t bytes :
       {size_t{1}, size_t{63}, size_t{4097}, (size_t{2} << 20) - 1, size_t{2} << 20, (size_t{4} << 20) + 5}) {
    Result<TypeParam> result = TypeParam::allocate(bytes);
    ASSERT_TRUE(result.ok()) << result.status().message();
    const TypeParam& buffer = result.value();
    EXPECT_EQ(buffer.size(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % promised_alignment<TypeParam>(bytes), 0U);
    const auto* read = buffer.template as<uint8_t>();
    EXPECT_EQ(read[0], 0);
    EXPECT_EQ(read[bytes - 1], 0);
    buffer.data()[0] = std::byte{1};
    buffer.data()[bytes - 1] = std::byte{2};
    EXPECT_EQ(read[bytes - 1], 2);
  }
}

TYPED_TEST(Buffers, ZeroBytesIsEmpty) {
  Result<TypeParam> result = TypeParam::allocate(0);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result.value().empty());
  EXPECT_EQ(result.value().data(), nullptr);
}

TYPED_TEST(Buffers, ImpossibleSizesAreAnError) {
  for (size_t bytes : {std::numeric_limits<size_t>::max(), std::numeric_limits<size_t>::max() / 2}) {
    const Result<TypeParam> result = TypeParam::allocate(bytes);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.status().code(), StatusCode::kResourceExhausted);
  }
}

TYPED_TEST(Buffers, MoveHandsOverTheMemory) {
  TypeParam a = std::move(TypeParam::allocate(5000)).value();
  a.data()[7] = std::byte{9};
  std::byte* data = a.data();
  TypeParam b;
  b = std::move(a);
  EXPECT_EQ(b.data(), data);
  EXPECT_EQ(b.data()[7], std::byte{9});
  const TypeParam c = std::move(b);
  EXPECT_EQ(c.data(), data);
}

}  // namespace
}  // namespace tribar
