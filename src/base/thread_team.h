// A persistent team of threads that run one function together, with a barrier between phases.
//
//   ThreadTeam team(2);
//   team.run([&](Shard s) {                       // called once on every member, s.index in [0, s.count)
//     auto [begin, end] = s.range(rows);          // this member's part of `rows`
//     ...
//     team.barrier();                             // all members reach it before any goes on
//   });
//
// `run` returns when every member has finished. Members spin briefly, then park; a team with more members than
// available_cpus() parks at once. Steady state allocates nothing and takes no lock.
// Threads: one caller at a time; the caller is member 0. `fn` must not throw and must not call `run`.
// Errors: where the system refuses a thread, the team is smaller than asked for; size() tells.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/available_cpus.h"

namespace tribar {

// One member's share of a parallel region. Splitting only ever cuts across independent outputs, never inside a sum.
struct Shard {
  int index = 0;
  int count = 1;

  // [begin, end) of `total` items in units of `grain`, contiguous, balanced to within one grain.
  std::pair<int64_t, int64_t> range(int64_t total, int64_t grain = 1) const {
    const int64_t units = (total + grain - 1) / grain;
    const int64_t begin = units * index / count;
    const int64_t end = units * (index + 1) / count;
    return {std::min(begin * grain, total), std::min(end * grain, total)};
  }
};

class ThreadTeam {
 public:
  explicit ThreadTeam(int size);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const;

  template <typename Fn>
  void run(Fn&& fn) {
    run_raw([](void* context, Shard shard) { (*static_cast<std::remove_reference_t<Fn>*>(context))(shard); }, &fn);
  }
  void run_raw(void (*fn)(void*, Shard), void* context);

  // Only inside `run`, by every member.
  void barrier();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tribar
