#include "format/byte_cursor.h"

#include <gtest/gtest.h>

#include "format/byte_builder.h"

namespace tribar::format {
namespace {

TEST(ByteCursor, ReadsLittleEndianAtAnyAddress) {
  ByteBuilder builder;
  builder.number<uint8_t>(1);
  builder.number<uint32_t>(0x01020304);
  builder.number<double>(-0.5);
  builder.text("name");
  const std::vector<std::byte> bytes = builder.take();
  ByteCursor cursor(bytes);
  EXPECT_EQ(cursor.read<uint8_t>(), 1);
  EXPECT_EQ(cursor.read<uint32_t>(), 0x01020304u);
  EXPECT_EQ(cursor.read<double>(), -0.5);
  EXPECT_EQ(cursor.read_bytes(4), "name");
  EXPECT_EQ(cursor.remaining(), 0u);
  EXPECT_FALSE(cursor.failed());
}

TEST(ByteCursor, FailureSticksAndMovesNothing) {
  const std::vector<std::byte> bytes(6, std::byte{0xff});
  ByteCursor cursor(bytes);
  EXPECT_EQ(cursor.read_bytes(UINT64_MAX), "");  // position + count would wrap
  EXPECT_TRUE(cursor.failed());
  EXPECT_EQ(cursor.position(), 0u);
  EXPECT_EQ(cursor.read<uint8_t>(), 0);  // would fit, but nothing is believed after a failure
}

}  // namespace
}  // namespace tribar::format
