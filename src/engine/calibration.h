// Tokens to run a model on when something about it has to be measured at load: a passage of ordinary prose and code,
// always the same.
//
//   std::vector<int32_t> ids = calibration_ids(tokenizer, info.vocab_size, 64);
//
// Without a tokenizer (null), or with one whose ids are not the model's, ids spread over the vocabulary. Never empty,
// at most `most` ids, each in [0, vocab_size).
// Threads: pure function.
#pragma once

#include <cstdint>
#include <vector>

#include "text/tokenizer.h"

namespace tribar::engine {

std::vector<int32_t> calibration_ids(const text::Tokenizer* tokenizer, int64_t vocab_size, int64_t most);

}  // namespace tribar::engine
