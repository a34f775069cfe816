#include "app/suggest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tribar::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("rnu", "run"), 1u);
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
}

TEST(Closest, FindsTheMeantWord) {
  EXPECT_THAT(closest("--temprature", {"--top-k", "--temperature", "--top-p"}), ElementsAre("--temperature"));
  EXPECT_THAT(closest("rnu", {"run", "chat", "render"}), ElementsAre("run"));
  EXPECT_THAT(closest("perp", {"run", "perplexity"}), ElementsAre("perplexity"));
}

TEST(Closest, TakesAMisspeltBeginningOfALongName) {
  const std::vector<std::string> names = {"gemma-3-270m-q4_k_m", "smollm2-135m-instruct-q4_1"};
  EXPECT_EQ(closest("smolm2", names), std::vector<std::string>{"smollm2-135m-instruct-q4_1"});
  EXPECT_EQ(closest("gema-3", names), std::vector<std::string>{"gemma-3-270m-q4_k_m"});
  EXPECT_TRUE(closest("llama", names).empty());
}

TEST(Closest, IsSilentWhenNothingIsNear) {
  EXPECT_THAT(closest("frobnicate", {"run", "chat"}), IsEmpty());
  EXPECT_THAT(closest("", {"run", "chat"}), IsEmpty());
}

TEST(Closest, BestFirstAndLimited) {
  EXPECT_THAT(closest("--top", {"--topp", "--top-k", "--top-p", "--tap"}, 2), ElementsAre("--topp", "--top-k"));
}

}  // namespace
}  // namespace tribar::app
