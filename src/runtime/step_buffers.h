// StepBuffers: a step's input in the form kernels read, at addresses that never change, so that plans can point at it.
//
//   StepBuffers buffers(limits);
//   TRIBAR_RETURN_IF_ERROR(buffers.bind(input));   // checked; nothing changes when it is refused
//   buffers.ids()[t]
//
// Positions and rope lengths follow from the slices: token i of a slice is at position p = start + i and has rope
// length
// max(rope_length, p + 1). Allocates at construction only.
// Errors: kInvalidArgument naming what is out of range.
// Threads: one writer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "kernel/args.h"
#include "runtime/step_input.h"

namespace tribar::runtime {

struct StepLimits {
  int64_t max_tokens = 0;
  int64_t max_logit_rows = 0;
  int64_t vocab_size = 0;    // ids are below
  int64_t block_tokens = 0;  // of the KV cache; 0: the graph has none
  int64_t blocks = 0;
};

class StepBuffers {
 public:
  explicit StepBuffers(const StepLimits& limits);
  Status bind(const StepInput& input);

  const int32_t* ids() const { return ids_.data(); }
  const int32_t* positions() const { return positions_.data(); }
  const int32_t* rope_lengths() const { return rope_lengths_.data(); }
  const int32_t* logit_rows() const { return logit_rows_.data(); }
  std::span<const kernel::SequenceView> sequences() const { return sequences_; }
  int64_t tokens() const { return tokens_; }
  int64_t logit_row_count() const { return logit_row_count_; }

 private:
  Status check(const StepInput& input) const;
  Status check_slice(const SequenceSlice& slice) const;

  StepLimits limits_;
  std::vector<int32_t> ids_, positions_, rope_lengths_;  // [max_tokens]
  std::vector<int32_t> logit_rows_;                      // [max_logit_rows]
  std::vector<kernel::SequenceView> sequences_;          // at most max_tokens, reserved
  int64_t tokens_ = 0;
  int64_t logit_row_count_ = 0;
};

}  // namespace tribar::runtime
