#include "app/text_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tribar::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(TextInput, SplitsLines) {
  EXPECT_THAT(split_lines(""), IsEmpty());
  EXPECT_THAT(split_lines("a"), ElementsAre("a"));
  EXPECT_THAT(split_lines("a\n"), ElementsAre("a"));
  EXPECT_THAT(split_lines("a\r\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(split_lines("\n"), ElementsAre(""));
}

TEST(TextInput, NamesWhatCannotBeRead) {
  EXPECT_THAT(read_text("/no/such/file").status().message(), HasSubstr("'/no/such/file': No such file"));
  EXPECT_THAT(read_text("/").status().message(), HasSubstr("'/' is a folder"));
}

}  // namespace
}  // namespace tribar::app
