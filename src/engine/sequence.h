// Sequence: a request inside the engine. All its tokens are in `ids`; the first `computed` of them are in the KV cache;
// the rest is what the scheduler has to catch up with, be it a prompt, one new token or a recomputation.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/request.h"
#include "engine/sampler/sampler.h"
#include "runtime/kv/kv_allocator.h"

namespace tribar::engine {

struct Sequence {
  Sequence(SequenceId sequence_id, Request request)
      : id(sequence_id),
        ids(std::move(request.prompt_ids)),
        prompt_tokens(static_cast<int64_t>(ids.size())),
        rope_base(prompt_tokens),
        max_tokens(request.max_tokens),
        end_tokens(std::move(request.end_tokens)),
        sampler(std::move(request.sampling), ids) {}

  int64_t target() const { return static_cast<int64_t>(ids.size()); }
  int64_t pending() const { return target() - computed; }
  int64_t output_tokens() const { return target() - prompt_tokens; }

  SequenceId id;
  std::vector<int32_t> ids;  // prompt, then output
  int64_t prompt_tokens;
  int64_t computed = 0;
  // Every position below this is computed with this rope length, every later one with its own position + 1: the length
  // of the prompt, or of everything that was recomputed when a longrope model crossed its original length.
  int64_t rope_base;
  int64_t max_tokens;
  std::vector<int32_t> end_tokens;
  Sampler sampler;
  runtime::BlockTable table;
};

}  // namespace tribar::engine
