#include "runtime/step_buffers.h"

#include <algorithm>
#include <string>

namespace tribar::runtime {

StepBuffers::StepBuffers(const StepLimits& limits) : limits_(limits) {
  const auto tokens = static_cast<size_t>(limits.max_tokens);
  ids_.resize(tokens);
  positions_.resize(tokens);
  rope_lengths_.resize(tokens);
  logit_rows_.resize(static_cast<size_t>(limits.max_logit_rows));
  sequences_.reserve(tokens);
}

Status StepBuffers::bind(const StepInput& input) {
  TRIBAR_RETURN_IF_ERROR(check(input));
  std::copy(input.ids.begin(), input.ids.end(), ids_.begin());
  std::copy(input.logit_rows.begin(), input.logit_rows.end(), logit_rows_.begin());
  tokens_ = static_cast<int64_t>(input.ids.size());
  logit_row_count_ = static_cast<int64_t>(input.logit_rows.size());
  sequences_.clear();
  size_t t = 0;
  for (const SequenceSlice& slice : input.sequences) {
    sequences_.push_back(
        {static_cast<int64_t>(t), slice.token_count, slice.start + slice.token_count, slice.blocks.data()});
    for (int64_t i = 0; i < slice.token_count; ++i, ++t) {
      const int64_t position = slice.start + i;
      positions_[t] = static_cast<int32_t>(position);
      rope_lengths_[t] = static_cast<int32_t>(std::max(slice.rope_length, position + 1));
    }
  }
  return {};
}

Status StepBuffers::check(const StepInput& input) const {
  const auto tokens = static_cast<int64_t>(input.ids.size());
  if (tokens == 0) return invalid_argument("a step needs at least one token");
  if (tokens > limits_.max_tokens) {
    return invalid_argument("a step of " + std::to_string(tokens) + " tokens is longer than the limit of " +
                            std::to_string(limits_.max_tokens));
  }
  for (const int32_t id : input.ids) {
    if (id < 0 || id >= limits_.vocab_size) {
      return invalid_argument("token id " + std::to_string(id) + " is outside the vocabulary of " +
                              std::to_string(limits_.vocab_size));
    }
  }
  int64_t covered = 0;
  for (const SequenceSlice& slice : input.sequences) {
    TRIBAR_RETURN_IF_ERROR(check_slice(slice));
    covered += slice.token_count;
  }
  if (covered != tokens) return invalid_argument("the slices do not cover the tokens of the step");
  if (static_cast<int64_t>(input.logit_rows.size()) > limits_.max_logit_rows) {
    return invalid_argument("logits of more than " + std::to_string(limits_.max_logit_rows) + " rows are wanted");
  }
  for (const int32_t row : input.logit_rows) {
    if (row < 0 || row >= tokens) return invalid_argument("logits are wanted of a row that the step does not have");
  }
  return {};
}

Status StepBuffers::check_slice(const SequenceSlice& slice) const {
  // Positions are I32 in the kernels.
  if (slice.start < 0 || slice.start > INT32_MAX || slice.token_count <= 0 || slice.token_count > limits_.max_tokens ||
      slice.rope_length < 0 || slice.rope_length > INT32_MAX) {
    return invalid_argument("a slice of the step has an impossible range");
  }
  const int64_t end = slice.start + slice.token_count;
  if (end > INT32_MAX) return invalid_argument("a sequence is too long");
  if (limits_.block_tokens == 0) return {};
  const int64_t needed = (end + limits_.block_tokens - 1) / limits_.block_tokens;
  if (needed > static_cast<int64_t>(slice.blocks.size()))
    return invalid_argument("a block table is too short for its sequence");
  for (const int32_t block : slice.blocks.first(static_cast<size_t>(needed))) {
    if (block < 0 || block >= limits_.blocks)
      return invalid_argument("a block table names a block that does not exist");
  }
  return {};
}

}  // namespace tribar::runtime
