#include "base/stopwatch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace tribar {
namespace {

TEST(Stopwatch, MeasuresMicroseconds) {
  const Stopwatch watch;
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_GE(watch.elapsed_us(), 2000.0);
}

TEST(Stopwatch, LapsSumToTheTotal) {
  Stopwatch total;
  Stopwatch laps;
  double sum_us = 0;
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    sum_us += laps.lap_us();
  }
  EXPECT_LE(sum_us, total.elapsed_us());
  EXPECT_GE(sum_us, 1000.0);
}

}  // namespace
}  // namespace tribar
