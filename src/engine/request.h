// Request: what a client asks of the engine, in token ids; and TokenEvent, what it gets back, token by token.
//
//   Request r; r.prompt_ids = ids; r.max_tokens = 100; r.end_tokens = tokenizer->end_tokens(); r.sampling.seed = 7;
//
// Text, stop strings and templates are the caller's business: on a stop string it cancels the sequence.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "engine/sampler/sampling_params.h"

namespace tribar::engine {

using SequenceId = uint64_t;

struct Request {
  std::vector<int32_t> prompt_ids;  // at least one
  SamplingParams sampling;
  int64_t max_tokens = 0;           // most tokens to generate, at least 1
  std::vector<int32_t> end_tokens;  // generating one of these finishes the sequence
};

enum class FinishReason : uint8_t {
  kNone,      // goes on
  kEndToken,  // the last token is one of end_tokens
  kLength,    // max_tokens reached, or the context is full
  kFailed,    // see TokenEvent::status
};

struct TokenEvent {
  static constexpr int32_t kNoToken = -1;

  SequenceId sequence = 0;
  int32_t token = kNoToken;  // kNoToken: the sequence finished without another token
  FinishReason finish = FinishReason::kNone;
  Status status = {};  // why it failed
};

}  // namespace tribar::engine
