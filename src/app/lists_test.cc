#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/number_list.h"
#include "app/token_list.h"
#include "app/top_tokens.h"

namespace tribar::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(TokenList, ParsesIds) {
  EXPECT_THAT(*parse_token_list("1"), ElementsAre(1));
  EXPECT_THAT(*parse_token_list("1,2,-3"), ElementsAre(1, 2, -3));
  for (const char* bad : {"", ",", "1,", "1,,2", "a", "1 ,2", "99999999999", "1.5", "0x1"}) {
    EXPECT_THAT(parse_token_list(bad).status().message(), HasSubstr("is not a token id")) << bad;
  }
}

TEST(NumberList, ParsesNumbersAndRanges) {
  EXPECT_THAT(*parse_number_list("512"), ElementsAre(512));
  EXPECT_THAT(*parse_number_list("0,128"), ElementsAre(0, 128));
  EXPECT_THAT(*parse_number_list("1-3"), ElementsAre(1, 2, 3));
  EXPECT_THAT(*parse_number_list("0-4096+2048"), ElementsAre(0, 2048, 4096));
  EXPECT_THAT(*parse_number_list("64-256*2,7"), ElementsAre(64, 128, 256, 7));
  for (const char* bad : {"", "-1", "3-1", "0-8*2", "1-8*1", "1-8+0", "1-8/2", "x", "1-", "99999999999", "0-100000"}) {
    EXPECT_FALSE(parse_number_list(bad).ok()) << bad;
  }
}

TEST(TopTokens, LargestFirstLowestIdFirst) {
  const std::vector<float> row = {1, 5, 3, 5, -2};
  EXPECT_THAT(top_tokens(row, 3), ElementsAre(Pair(1, 5.0f), Pair(3, 5.0f), Pair(2, 3.0f)));
  EXPECT_EQ(top_tokens(row, 99).size(), 5u);
  EXPECT_EQ(best_token(row), 1);
  EXPECT_TRUE(all_finite(row));
  EXPECT_FALSE(all_finite(std::vector<float>{1, -INFINITY}));
}

}  // namespace
}  // namespace tribar::app
