#include "app/progress_bar.h"

#include <gtest/gtest.h>

namespace tribar::app {
namespace {

TEST(ProgressLine, ShowsLabelBarPercentAndNote) {
  EXPECT_EQ(progress_line("load", 0.5, "", 80), "load [===============               ]  50%");
  EXPECT_EQ(progress_line("load", 1.0, "ppl 3", 80), "load [==============================] 100% ppl 3");
}

TEST(ProgressLine, ShrinksWithTheTerminal) {
  for (int columns = 0; columns < 120; ++columns) {
    const std::string line = progress_line("packing weights", 0.37, "a long note", columns);
    EXPECT_LE(static_cast<int>(line.size()), std::max(columns - 1, 0));
  }
}

TEST(ProgressLine, ClampsTheFraction) {
  EXPECT_EQ(progress_line("x", -1, "", 20), "x [          ]   0%");
  EXPECT_EQ(progress_line("x", 7, "", 20), "x [==========] 100%");
}

}  // namespace
}  // namespace tribar::app
