// Which ids have a special role: begin and end of text, end of a turn, and what encoding adds around a text.
//
// GGUF names some roles by key; others only by the text of a token, and some flags have a default that depends on
// the kind of vocabulary, as the GGUF converters and llama.cpp have it. A tokenizer.json says roles in
// tokenizer_config.json.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "text/tokenizer.h"

namespace tribar::text {

struct SpecialTokens {
  std::optional<TokenId> bos, eos;
  bool adds_bos = false;
  std::vector<TokenId> prefix, suffix;  // what add_special puts around a text
  std::vector<TokenId> end;             // sorted, no duplicates
};

// Looks a token up by its text.
using FindToken = std::function<std::optional<TokenId>(std::string_view)>;

// kDataLoss if a key names an id that is not in a vocabulary of `vocab_size`.
Result<SpecialTokens> special_tokens_of_gguf(const TokenizerSource& source, int64_t vocab_size, const FindToken& find);
Result<SpecialTokens> special_tokens_of_json(const TokenizerSource& source, int64_t vocab_size, const FindToken& find);

}  // namespace tribar::text
