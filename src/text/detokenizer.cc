#include "text/detokenizer.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tribar::text {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// What the bytes seen so far of one character allow next (Unicode 15, table 3-7).
struct Lead {
  int length = 0;  // of the whole character; 0: no character begins with this byte
  uint8_t second_min = 0x80;
  uint8_t second_max = 0xBF;
};

Lead lead_of(uint8_t byte) {
  if (byte < 0x80) return {1};
  if (byte >= 0xC2 && byte <= 0xDF) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {4};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {};
}

bool continues(const std::string& pending, uint8_t byte) {
  if (pending.size() == 1) {
    const Lead lead = lead_of(static_cast<uint8_t>(pending[0]));
    return byte >= lead.second_min && byte <= lead.second_max;
  }
  return (byte & 0xC0) == 0x80;
}

// ED A0..BF begins an encoded surrogate, which is never valid. Decoders that can pass surrogates through (Python's,
// which the golden streams come from) know that only at the third byte; both bytes are then ill-formed parts of
// their own.
bool begins_surrogate(std::string_view pending, uint8_t byte) {
  return pending == "\xED" && byte >= 0xA0 && byte <= 0xBF;
}
bool is_surrogate(std::string_view pending) {
  return pending.size() == 2 && begins_surrogate(pending.substr(0, 1), static_cast<uint8_t>(pending[1]));
}

std::string_view replacement_of(std::string_view pending) {
  constexpr std::string_view kTwice = "\xEF\xBF\xBD\xEF\xBF\xBD";
  if (pending.empty()) return {};
  return is_surrogate(pending) ? kTwice : kReplacement;
}

}  // namespace

std::string Utf8Assembler::push(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (begins_surrogate(pending_, byte)) {
      pending_ += c;
      continue;
    }
    if (!pending_.empty()) {
      if (!is_surrogate(pending_) && continues(pending_, byte)) {
        pending_ += c;
        const int length = lead_of(static_cast<uint8_t>(pending_[0])).length;
        if (std::cmp_equal(pending_.size(), length)) {
          out += pending_;
          pending_.clear();
        }
        continue;
      }
      out += replacement_of(pending_);
      pending_.clear();
    }
    switch (lead_of(byte).length) {
      case 0: out += kReplacement; break;
      case 1: out += c; break;
      default: pending_ = c;
    }
  }
  return out;
}

std::string Utf8Assembler::finish() {
  std::string out(replacement_of(pending_));
  pending_.clear();
  return out;
}

StreamDecoder::StreamDecoder(const Tokenizer* tokenizer, DecodeOptions options)
    : tokenizer_(tokenizer), options_(options), at_start_(!options.continuation && tokenizer->strips_leading_space()) {}

std::string StreamDecoder::push(TokenId id) {
  std::string_view bytes = tokenizer_->token_bytes(id, options_.skip_special);
  // One space at the very beginning of the text, also behind tokens that print nothing.
  if (at_start_ && !bytes.empty()) {
    if (bytes.front() == ' ') bytes.remove_prefix(1);
    at_start_ = false;
  }
  return assembler_.push(bytes);
}

std::string StreamDecoder::finish() { return assembler_.finish(); }

std::string decode(const Tokenizer& tokenizer, std::span<const TokenId> ids, DecodeOptions options) {
  StreamDecoder decoder(&tokenizer, options);
  std::string text;
  for (const TokenId id : ids) text += decoder.push(id);
  text += decoder.finish();
  return text;
}

}  // namespace tribar::text
