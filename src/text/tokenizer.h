// Tokenizer: text to token ids and back, built from GGUF metadata or a Hugging Face tokenizer.json.
//
//   TRIBAR_ASSIGN_OR_RETURN(std::unique_ptr<Tokenizer> t, make_tokenizer(source));
//   t->encode("Hello", {.add_special = true}, &ids);
//   t->token_bytes(ids[0], /*skip_special=*/false);   // raw bytes, maybe half a character
//
// Encoding is Hugging Face `tokenizers` (rust/textkit). Decoding is bytes of tokens joined; see text/detokenizer.h for
// streams. Text that spells a control token stays ordinary text unless parse_special is set.
// Errors: a vocabulary that contradicts itself is kDataLoss at construction, an unknown pre-tokeniser kUnimplemented
// with its name. encode refuses text over the limit (16 MiB) and text that is not UTF-8 with kInvalidArgument.
// Threads: immutable; any number of callers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

struct TkTokenizer;

namespace tribar::text {

using TokenId = int32_t;

struct EncodeOptions {
  bool add_special = false;    // BOS/EOS (CLS/SEP) as the file asks for
  bool parse_special = false;  // text that spells a CONTROL token becomes that token
};

// Bytes [begin, end) of a text.
struct TextSpan {
  size_t begin = 0;
  size_t end = 0;
  bool operator==(const TextSpan&) const = default;
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual Status encode(std::string_view text, EncodeOptions options, std::vector<TokenId>* ids) const = 0;
  // A prompt made of trusted and untrusted parts: as encode with parse_special, but a control token is only
  // recognised where its spelling touches none of `untrusted` (sorted, disjoint). Adds no BOS: a chat template
  // writes its own.
  virtual Status encode_prompt(std::string_view text, std::span<const TextSpan> untrusted,
                               std::vector<TokenId>* ids) const = 0;

  virtual int64_t vocab_size() const = 0;
  // False for ids outside the vocabulary (which token_bytes renders as nothing).
  virtual bool valid(TokenId id) const = 0;
  // The bytes that this token adds to a text; empty for a CONTROL or UNKNOWN token when `skip_special`.
  virtual std::string_view token_bytes(TokenId id, bool skip_special) const = 0;
  // The token as the vocabulary writes it.
  virtual std::string_view token_text(TokenId id) const = 0;
  virtual bool is_control(TokenId id) const = 0;
  // True if the vocabulary puts a space before the first word, which decoding takes off again.
  virtual bool strips_leading_space() const = 0;

  virtual std::optional<TokenId> bos() const = 0;
  virtual std::optional<TokenId> eos() const = 0;
  virtual bool adds_bos() const = 0;
  // Every token that ends generation, sorted: eos, eot, eom, tokens named as such in the file, and for directories
  // eos_token_id of generation_config.json too.
  virtual const std::vector<TokenId>& end_tokens() const = 0;
  // The id whose text is exactly `text` (special tokens included).
  virtual std::optional<TokenId> find(std::string_view text) const = 0;

  // For text/chat_template.cc: which spellings are control tokens.
  virtual const TkTokenizer* handle() const = 0;
};

// What a tokenizer is built from; fill one of the two groups. Taken from format/ by the composition root, because text/
// does not read model files.
struct TokenizerSource {
  // From GGUF metadata (tokenizer.ggml.*).
  std::string model;         // "llama", "gpt2", "bert", "t5", "gemma4"
  std::string pre;           // tokenizer.ggml.pre, may be empty
  std::string architecture;  // general.architecture
  std::vector<std::string> tokens;
  std::vector<float> scores;         // empty, or one a token
  std::vector<int32_t> token_types;  // empty, or one a token; GGUF's numbers
  std::vector<std::string> merges;
  std::vector<uint8_t> precompiled_charsmap;
  std::optional<int64_t> bos, eos, eot, eom, unk, sep, pad, cls, mask;
  std::optional<bool> add_bos, add_eos, add_sep, add_space_prefix, remove_extra_whitespaces, escape_whitespaces;
  // From a directory.
  std::string tokenizer_json;
  std::string tokenizer_config_json;      // may be empty
  std::vector<int64_t> extra_end_tokens;  // eos_token_id of config.json / generation_config.json
};

Result<std::unique_ptr<Tokenizer>> make_tokenizer(const TokenizerSource& source);

}  // namespace tribar::text
