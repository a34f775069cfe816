// Evaluator: feeds one sequence through the executor in chunks and hands out logits; no sampling, no scheduling. What
// `logits`, `perplexity`, `bench` and the golden tests use.
//
//   Evaluator e(model, {.chunk_tokens = 64});
//   e.append(prompt, WantLogits::kLast, [&](int64_t position, std::span<const float> logits) { ... });
//   e.append({&next, 1}, WantLogits::kLast, sink);
//   e.reset();
//
// Keeps the positions, block table and rope length right, and recomputes from the first token when a longrope model
// crosses its original length. Results do not depend on chunk_tokens. All tokens of one append have the rope length
// of the sequence after it (what matters for longrope and dynamic NTK only): append a prompt whole and generated
// tokens one by one. The sink sees the new positions wanted, in order; the span lives until it returns.
// Errors: kInvalidArgument (id out of range, context full, chunk too large), kResourceExhausted (no KV blocks). The
// sequence is then as it was before the call.
// Threads: one caller.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/status.h"
#include "engine/loaded_model.h"

namespace tribar::engine {

enum class WantLogits : uint8_t { kNone, kLast, kAll };

class Evaluator {
 public:
  struct Options {
    int64_t chunk_tokens = 0;  // 0: as large as the model allows
  };
  using Sink = std::function<void(int64_t position, std::span<const float> logits)>;

  Evaluator(LoadedModel* model, Options options);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  Status append(std::span<const int32_t> ids, WantLogits want, const Sink& sink);
  void reset();
  int64_t length() const { return static_cast<int64_t>(ids_.size()); }

 private:
  Status check(std::span<const int32_t> ids) const;
  Status compute(int64_t first_wanted, const Sink& sink);

  LoadedModel* model_;
  Options options_;
  runtime::BlockTable table_;
  std::vector<int32_t> ids_;   // all tokens of the sequence so far
  int64_t computed_ = 0;       // of them in the cache
  std::vector<int32_t> rows_;  // scratch of a step
};

}  // namespace tribar::engine
