#include "format/split_name.h"

#include <gtest/gtest.h>

namespace tribar::format {
namespace {

TEST(SplitName, ReadsNumberAndCount) {
  const auto name = parse_split_name("dir/m-00002-of-00012.gguf", ".gguf");
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->prefix, "dir/m");
  EXPECT_EQ(name->number, 2u);
  EXPECT_EQ(name->count, 12u);
  EXPECT_EQ(name->part_name(12, ".gguf"), "dir/m-00012-of-00012.gguf");
}

TEST(SplitName, OtherNamesAreNone) {
  for (const char* name :
       {"m.gguf", "m-00000-of-00003.gguf", "m-00004-of-00003.gguf", "m-0001-of-00003.gguf", "", "m-0000a-of-00003.gguf",
        "m_00001-of-00003.gguf", "m-00001-of-00003.bin", "1-of-00003.gguf"}) {
    EXPECT_FALSE(parse_split_name(name, ".gguf").has_value()) << name;
  }
}

}  // namespace
}  // namespace tribar::format
