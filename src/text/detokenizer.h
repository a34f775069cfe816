// StreamDecoder: turns tokens into text as they come, never printing half a character.
//
//   StreamDecoder d(&tokenizer, {.skip_special = true});
//   out += d.push(id);      // may be empty while a character is incomplete
//   out += d.finish();      // what was held back, ill-formed bytes as U+FFFD
//
// push emits every complete character; ill-formed bytes become U+FFFD (one for each maximal ill-formed part, as Unicode
// recommends) as soon as they are known to be ill-formed. Joined, the pieces equal decode() of all ids.
// Threads: one caller.
#pragma once

#include <span>
#include <string>

#include "text/tokenizer.h"

namespace tribar::text {

struct DecodeOptions {
  bool skip_special = false;
  bool continuation = false;  // the text before is not empty: keep a leading space
};

// Joins bytes into well-formed UTF-8, holding back an incomplete but so far valid character.
class Utf8Assembler {
 public:
  std::string push(std::string_view bytes);
  std::string finish();

 private:
  std::string pending_;
};

class StreamDecoder {
 public:
  StreamDecoder(const Tokenizer* tokenizer, DecodeOptions options);
  std::string push(TokenId id);
  std::string finish();

 private:
  const Tokenizer* tokenizer_;
  DecodeOptions options_;
  bool at_start_;
  Utf8Assembler assembler_;
};

std::string decode(const Tokenizer& tokenizer, std::span<const TokenId> ids, DecodeOptions options);

}  // namespace tribar::text
