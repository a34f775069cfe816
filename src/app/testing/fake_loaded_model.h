// A LoadedModel without weights, for tests of what commands do around it: FakeExecutor, a tokenizer whose tokens are
// bytes, and a chat template that writes "<role>:<content>\n" for each message and "assistant:" at the end.
//
// The "model" answers with lower-case letters, a different text after every prompt, and with the end token after
// `answer_tokens` letters.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/loaded_model.h"
#include "engine/testing/fake_model.h"

namespace tribar::app {

inline constexpr int64_t kFakeVocab = 258;
inline constexpr int32_t kFakeBos = 256;
inline constexpr int32_t kFakeEnd = 257;

struct FakeModelOptions {
  int64_t context_tokens = 400;
  int64_t answer_tokens = 20;
};

struct FakeLoadedModel {
  engine::LoadedModel model;
  engine::FakeExecutor* executor = nullptr;  // owned by the model
  int64_t rows = 0;                          // of logits handed out since the last end token
};

std::unique_ptr<FakeLoadedModel> make_fake_loaded_model(FakeModelOptions options);

}  // namespace tribar::app
