// StepPlan: what one step computes, as plain data: it can be logged, compared, replayed and checked without a model.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/request.h"

namespace tribar::engine {

// Tokens [start, start + token_count) of a sequence.
struct StepSlice {
  SequenceId sequence = 0;
  int64_t start = 0;
  int64_t token_count = 0;
  int64_t rope_length = 0;
  bool samples = false;  // the slice ends at the sequence's last known token: the next one is drawn

  bool operator==(const StepSlice&) const = default;
};

struct StepPlan {
  std::vector<StepSlice> slices;        // in order of admission
  std::vector<SequenceId> preempted;    // lost their blocks; will be computed again from the first token
  std::vector<SequenceId> out_of_room;  // alone and still without a free block: cannot go on
  int64_t tokens = 0;                   // sum of the slices
  int64_t reused_tokens = 0;            // of sequences that start: found in the cache

  bool operator==(const StepPlan&) const = default;
};

}  // namespace tribar::engine
