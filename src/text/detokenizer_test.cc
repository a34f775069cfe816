#include "text/detokenizer.h"

#include <gtest/gtest.h>

#include <vector>

namespace tribar::text {
namespace {

const std::string kBad = "\xEF\xBF\xBD";

std::vector<std::string> stream_bytes(std::string_view bytes) {
  Utf8Assembler assembler;
  std::vector<std::string> pieces;
  for (const char c : bytes) pieces.push_back(assembler.push(std::string_view(&c, 1)));
  pieces.push_back(assembler.finish());
  return pieces;
}

std::string joined(const std::vector<std::string>& pieces) {
  std::string all;
  for (const std::string& piece : pieces) all += piece;
  return all;
}

TEST(Utf8AssemblerTest, HoldsBackHalfACharacter) {
  const std::vector<std::string> want = {"a", "", "", "", "\xF0\x9F\x98\x80", "b", ""};
  EXPECT_EQ(stream_bytes("a\xF0\x9F\x98\x80"
                         "b"),
            want);
}

TEST(Utf8AssemblerTest, IllFormedBytesAreReplacedAsSoonAsTheyAreKnown) {
  EXPECT_EQ(stream_bytes("\x80"), (std::vector<std::string>{kBad, ""}));
  EXPECT_EQ(stream_bytes("\xC0\x80"), (std::vector<std::string>{kBad, kBad, ""}));
  EXPECT_EQ(stream_bytes("\xE2\x82x"), (std::vector<std::string>{"", "", kBad + "x", ""}));
  EXPECT_EQ(stream_bytes("\xF4\x90\x80\x80"), (std::vector<std::string>{"", kBad + kBad, kBad, kBad, ""}));
  EXPECT_EQ(stream_bytes("\xED\xA0\x80"), (std::vector<std::string>{"", "", kBad + kBad + kBad, ""}));
}

TEST(Utf8AssemblerTest, FinishReplacesWhatIsLeft) {
  EXPECT_EQ(stream_bytes("\xF0\x9F"), (std::vector<std::string>{"", "", kBad}));
  EXPECT_EQ(stream_bytes("\xED\xBF"), (std::vector<std::string>{"", "", kBad + kBad}));
}

TEST(Utf8AssemblerTest, ResultDoesNotDependOnHowBytesAreCut) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>((i * 2654435761U) >> 13);
  Utf8Assembler whole;
  const std::string at_once = whole.push(bytes) + whole.finish();
  EXPECT_EQ(joined(stream_bytes(bytes)), at_once);
}

}  // namespace
}  // namespace tribar::text
