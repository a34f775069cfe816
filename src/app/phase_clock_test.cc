#include "app/phase_clock.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <thread>

namespace tribar::app {
namespace {

using std::chrono::milliseconds;

TEST(PhaseClock, ChargesTheRunningPhaseAndSumsToWallTime) {
  Stopwatch wall;
  PhaseClock clock(PhaseClock::Start::kNow);
  clock.enter(Phase::kPrefill);
  const double before = clock.total_us();
  std::this_thread::sleep_for(milliseconds(20));
  clock.enter(Phase::kDecode);
  std::this_thread::sleep_for(milliseconds(10));
  clock.stop();
  EXPECT_GE(clock.us(Phase::kPrefill), 20000);
  EXPECT_GE(clock.us(Phase::kDecode), 10000);
  EXPECT_NEAR(clock.total_us() - before, wall.elapsed_us(), 2000);
}

TEST(PhaseClock, MovesTimeWithoutChangingTheSum) {
  PhaseClock clock(PhaseClock::Start::kNow);
  clock.enter(Phase::kDecode);
  std::this_thread::sleep_for(milliseconds(5));
  clock.move(Phase::kDecode, Phase::kSample, 2000);
  const double sum = clock.us(Phase::kDecode) + clock.us(Phase::kSample);
  EXPECT_EQ(clock.us(Phase::kSample), 2000);
  EXPECT_GE(sum, 5000);
}

TEST(PhaseClock, WritesJson) {
  PhaseClock clock(PhaseClock::Start::kNow);
  clock.enter(Phase::kDecode);
  clock.add_tokens(Phase::kDecode, 10);
  std::this_thread::sleep_for(milliseconds(2));
  clock.stop();
  JsonWriter writer;
  writer.begin_object();
  write_phases(clock, &writer);
  writer.end_object();
  const boost::json::value json = boost::json::parse(writer.text());
  double sum = 0;
  for (const auto& [name, phase] : json.at("phases").as_object()) sum += phase.at("seconds").to_number<double>();
  EXPECT_NEAR(sum, json.at("wall_seconds").to_number<double>(), 1e-6);
  EXPECT_EQ(json.at("phases").as_object().size(), kPhases);
  EXPECT_EQ(json.at("phases").at("decode").at("tokens").as_int64(), 10);
  EXPECT_GT(json.at("phases").at("decode").at("tokens_per_second").to_number<double>(), 0);
  EXPECT_EQ(json.at("phases").at("load").at("tokens_per_second").to_number<double>(), 0);
}

}  // namespace
}  // namespace tribar::app
