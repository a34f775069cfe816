// OpProfile: where the time of the steps of a plan went, by kind of operator.
//
//   executor->set_profiling(true);
//   executor->run(...); executor->run(...);
//   OpProfile profile = executor->profile();
//   profile.ops[0].busy_us / profile.runs          // microseconds a run of the first kind of operator
//
// Steps of one kind with the same weight type and shape are one entry: "linear", "Q4_K 8960x1536". Times are means over
// the team's members, so `busy` plus `wait` of all entries is the time inside the plan; what is left of wall_us is
// entering and leaving it, and the check of the logits.
// Costs one reading of the clock a step and barrier. Threads: plain data; StepTimer is written by each member in a part
// of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "graph/graph.h"
#include "runtime/weight_store.h"

namespace tribar::runtime {

struct OpTime {
  std::string op;            // "linear"
  std::string detail;        // "Q4_K 8960x1536"; "" for operators without a weight matrix
  int64_t calls = 0;         // steps of this kind in one run
  int64_t weight_bytes = 0;  // that those steps read of packed weights in one run
  int64_t macs_per_row = 0;  // multiply-adds of those steps for one row of activations
  graph::RowSymbol rows = graph::RowSymbol::kTokens;
  double busy_us = 0;  // of all runs: computing
  double wait_us = 0;  // of all runs: members that had finished waited for the slowest
};

struct OpProfile {
  std::vector<OpTime> ops;  // in order of first use
  int64_t runs = 0;
  int64_t tokens = 0;      // of all runs
  int64_t logit_rows = 0;  // of all runs
  double wall_us = 0;
};

// What a step is counted as; its times are zero.
OpTime describe_step(const graph::Graph& graph, const graph::Node& node, const WeightStore& weights);

// The clock of a plan's run: one pair of times for each step and member.
class StepTimer {
 public:
  StepTimer(size_t steps, int members);

  // One member's part, touched by that member alone.
  struct Member {
    std::vector<double> busy_us, wait_us;  // by step
    Stopwatch watch;
  };
  Member& member(int index) { return members_[static_cast<size_t>(index)]; }
  void finish_run(int64_t tokens, int64_t logit_rows, double wall_us);
  // `steps`: what describe_step said of each.
  OpProfile profile(const std::vector<OpTime>& steps) const;

 private:
  std::vector<Member> members_;
  OpProfile totals_;
};

}  // namespace tribar::runtime
