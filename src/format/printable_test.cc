#include "format/printable.h"

#include <gtest/gtest.h>

namespace tribar::format {
namespace {

TEST(Printable, KeepsTextAndEscapesTheRest) {
  EXPECT_EQ(printable("blk.0.weight"), "blk.0.weight");
  EXPECT_EQ(printable("größe 模型 🙂"), "größe 模型 🙂");
  EXPECT_EQ(printable("a\nb\x1b[31m\x7f"), "a\\x0ab\\x1b[31m\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");                    // a control character of Latin-1
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  EXPECT_EQ(printable("\xe6\xa8"), "\\xe6\\xa8");                    // cut
  EXPECT_EQ(in_quotes(std::string_view("a\0b", 3)), "'a\\x00b'");
}

TEST(Printable, ValidUtf8KeepsEveryCharacter) {
  EXPECT_EQ(valid_utf8("größe\n\x7f 🙂"), "größe\n\x7f 🙂");
  EXPECT_EQ(valid_utf8("a\xff\xe6\xa8z"), "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz");
}

TEST(Printable, CutsLongText) {
  EXPECT_EQ(printable(std::string(1000, 'x'), 10), "xxxxxxxxxx...");
  EXPECT_EQ(printable("0123456789", 10), "0123456789");
}

}  // namespace
}  // namespace tribar::format
