// TextStream: the text of an answer as its tokens come, cut at the first stop string, never half a character.
//
//   TextStream stream(&tokenizer, {"\nUser:"});
//   out += stream.push(token);          // may be empty while a character or a possible stop string is incomplete
//   if (stream.stopped()) ...           // what follows a stop string never appears
//   out += stream.finish();
//
// A StreamDecoder that feeds a StopMatcher. Control tokens have no text.
// Threads: one caller.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "text/detokenizer.h"
#include "text/stop_matcher.h"

namespace tribar::text {

class TextStream {
 public:
  TextStream(const Tokenizer* tokenizer, std::vector<std::string> stops)
      : decoder_(tokenizer, {.skip_special = true}), matcher_(std::move(stops)) {}

  std::string push(TokenId token) {
    std::string out;
    matcher_.push(decoder_.push(token), &out);
    return out;
  }

  std::string finish() {
    std::string out;
    if (!matcher_.push(decoder_.finish(), &out)) matcher_.finish(&out);
    return out;
  }

  bool stopped() const { return matcher_.stopped(); }

 private:
  StreamDecoder decoder_;
  StopMatcher matcher_;
};

}  // namespace tribar::text
