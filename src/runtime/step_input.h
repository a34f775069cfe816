// StepInput: what one forward pass computes, as plain data. Made by the engine, read by the executor.
//
//   ids      = the tokens of all sequences of the step, joined
//   sequences[i] covers the next token_count of them: positions [start, start + token_count) of that sequence
//   logit_rows   = indices into `ids` whose logits are wanted
//
// Threads: borrowed; must stay alive and unchanged during Executor::run.
#pragma once

#include <cstdint>
#include <span>

namespace tribar::runtime {

struct SequenceSlice {
  int64_t start = 0;                // tokens already in the cache
  int64_t token_count = 0;          // > 0
  std::span<const int32_t> blocks;  // block table; covers start + token_count positions
  // The length that chooses rope frequencies (longrope, dynamic NTK). A token at position p uses max(rope_length, p
  // + 1): give the whole prompt's length with every chunk of a prompt, and 0 for generated tokens.
  int64_t rope_length = 0;
};

struct StepInput {
  std::span<const int32_t> ids;
  std::span<const SequenceSlice> sequences;
  std::span<const int32_t> logit_rows;
};

}  // namespace tribar::runtime
