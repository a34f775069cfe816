// engine_parts: what an Engine borrows from a loaded model.
//
//   Engine engine(engine_parts(*model), {.retained_sequences = 1});
#pragma once

#include "engine/engine.h"
#include "engine/loaded_model.h"

namespace tribar::engine {

inline EngineParts engine_parts(const LoadedModel& model) {
  return {.executor = model.executor.get(),
          .allocator = model.kv_allocator.get(),
          .vocab_size = model.info.vocab_size,
          .context_tokens = model.context_tokens,
          .trained_context = model.info.context_length,
          .recompute_length = model.info.recompute_length};
}

}  // namespace tribar::engine
