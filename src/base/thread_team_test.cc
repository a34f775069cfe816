#include "base/thread_team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace tribar {
namespace {

TEST(Shard, RangesCoverAllItemsOnce) {
  for (int count = 1; count <= 5; ++count) {
    for (int64_t total : {0, 1, 2, 7, 64, 257}) {
      for (int64_t grain : {1, 4, 16}) {
        int64_t next = 0;
        for (int i = 0; i < count; ++i) {
          const auto [begin, end] = Shard{i, count}.range(total, grain);
          EXPECT_EQ(begin, next);
          EXPECT_LE(begin, end);
          EXPECT_TRUE(begin % grain == 0 || begin == total);
          next = end;
        }
        EXPECT_EQ(next, total);
      }
    }
  }
}

class ThreadTeamSizes : public testing::TestWithParam<int> {};

TEST_P(ThreadTeamSizes, EveryMemberRunsOnceInEachRegion) {
  ThreadTeam team(GetParam());
  ASSERT_EQ(team.size(), GetParam());
  std::vector<int> calls(static_cast<size_t>(team.size()));
  for (int region = 0; region < 200; ++region) {
    team.run([&](Shard s) {
      EXPECT_EQ(s.count, team.size());
      ++calls[static_cast<size_t>(s.index)];
    });
  }
  for (int n : calls) EXPECT_EQ(n, 200);
}

// Plain (not atomic) data crosses the barrier: a broken barrier gives wrong sums, and a data race under TSan.
TEST_P(ThreadTeamSizes, BarrierOrdersPhases) {
  ThreadTeam team(GetParam());
  const auto members = static_cast<size_t>(team.size());
  std::vector<int64_t> cells(members, 1);
  std::vector<int64_t> sums(members);
  constexpr int kPhases = 300;
  team.run([&](Shard s) {
    const auto me = static_cast<size_t>(s.index);
    for (int phase = 0; phase < kPhases; ++phase) {
      sums[me] = std::accumulate(cells.begin(), cells.end(), int64_t{0});
      team.barrier();
      cells[me] = sums[(me + 1) % members] % 1000 + phase;
      team.barrier();
    }
  });
  for (size_t i = 1; i < members; ++i) EXPECT_EQ(cells[i], cells[0]);
  int64_t expected = 1;
  for (int phase = 0; phase < kPhases; ++phase) expected = expected * GetParam() % 1000 + phase;
  EXPECT_EQ(cells[0], expected);
}

TEST_P(ThreadTeamSizes, WakesMembersThatHaveParked) {
  ThreadTeam team(GetParam());
  std::atomic<int> calls{0};
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // far longer than the spin
    team.run([&](Shard) { calls.fetch_add(1); });
  }
  EXPECT_EQ(calls.load(), 3 * GetParam());
}

// A member that arrives late finds the others parked in the barrier.
TEST_P(ThreadTeamSizes, BarrierWaitsForALateMember) {
  ThreadTeam team(GetParam());
  std::vector<int> seen(static_cast<size_t>(team.size()));
  int value = 0;
  team.run([&](Shard s) {
    if (s.index == s.count - 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      value = 7;
    }
    team.barrier();
    seen[static_cast<size_t>(s.index)] = value;
  });
  for (int v : seen) EXPECT_EQ(v, 7);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadTeamSizes, testing::Values(1, 2, 3, 5));

}  // namespace
}  // namespace tribar
