#include "text/stop_matcher.h"

#include <gtest/gtest.h>

#include <random>

namespace tribar::text {
namespace {

struct Outcome {
  std::string text;
  bool stopped = false;
  bool operator==(const Outcome&) const = default;
};

Outcome feed(const std::vector<std::string>& stops, std::string_view text, size_t piece) {
  StopMatcher matcher(stops);
  Outcome outcome;
  for (size_t at = 0; at < text.size(); at += piece) {
    if (matcher.push(text.substr(at, piece), &outcome.text)) break;
  }
  matcher.finish(&outcome.text);
  outcome.stopped = matcher.stopped();
  return outcome;
}

// The definition: cut before the leftmost occurrence of any stop string.
Outcome expected(const std::vector<std::string>& stops, std::string_view text) {
  size_t first = std::string_view::npos;
  for (const std::string& stop : stops) first = std::min(first, text.find(stop));
  return {std::string(text.substr(0, first)), first != std::string_view::npos};
}

TEST(StopMatcherTest, StopsAcrossTokenBorders) {
  StopMatcher matcher({"\n\nUser:"});
  std::string out;
  EXPECT_FALSE(matcher.push("Hello\n", &out));
  EXPECT_EQ(out, "Hello");
  EXPECT_TRUE(matcher.push("\nUser: x", &out));
  EXPECT_EQ(out, "Hello");
  EXPECT_TRUE(matcher.stopped());
}

TEST(StopMatcherTest, ReleasesWhatTurnsOutNotToBeAStop) {
  StopMatcher matcher({"abc"});
  std::string out;
  EXPECT_FALSE(matcher.push("xab", &out));
  EXPECT_EQ(out, "x");
  EXPECT_FALSE(matcher.push("d", &out));
  EXPECT_EQ(out, "xabd");
  EXPECT_FALSE(matcher.push("ab", &out));
  matcher.finish(&out);
  EXPECT_EQ(out, "xabdab");
  EXPECT_FALSE(matcher.stopped());
}

TEST(StopMatcherTest, TheEarliestOccurrenceWins) {
  EXPECT_EQ(feed({"abcd", "bc"}, "xabcd", 1), (Outcome{"x", true}));
  EXPECT_EQ(feed({"abcd", "bc"}, "xabce", 1), (Outcome{"xa", true}));
  EXPECT_EQ(feed({"ab", "abcd"}, "xabcd", 2), (Outcome{"x", true}));
}

TEST(StopMatcherTest, EmptyStopStringsAreIgnored) { EXPECT_EQ(feed({""}, "abc", 1), (Outcome{"abc", false})); }

TEST(StopMatcherTest, EveryOffsetOfASlidingStop) {
  const std::string text = "The quick brown fox jumps over the lazy dog. The end.";
  for (size_t at = 0; at + 2 <= text.size(); ++at) {
    const std::string stop = text.substr(at, 2);
    for (size_t piece = 1; piece < 8; ++piece) EXPECT_EQ(feed({stop}, text, piece), expected({stop}, text)) << stop;
  }
}

TEST(StopMatcherTest, RandomTextOverASmallAlphabet) {
  std::mt19937 rng(7);
  const auto random_text = [&](size_t size) {
    std::string text;
    for (size_t i = 0; i < size; ++i) text += static_cast<char>('a' + rng() % 2);
    return text;
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::string> stops;
    for (size_t i = 0; i < 1 + rng() % 3; ++i) stops.push_back(random_text(1 + rng() % 6));
    const std::string text = random_text(rng() % 24);
    EXPECT_EQ(feed(stops, text, 1 + rng() % 5), expected(stops, text)) << text;
  }
}

TEST(StopMatcherTest, LinearOnTheWorstCase) {
  // Quadratic matching would need 10^11 steps.
  const std::string text(1'000'000, 'a');
  const std::string stop = std::string(100'000, 'a') + "b";
  EXPECT_EQ(feed({stop}, text, 1 << 16), (Outcome{text, false}));
}

}  // namespace
}  // namespace tribar::text
