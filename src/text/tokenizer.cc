#include "text/tokenizer.h"

#include <algorithm>
#include <utility>

#include "text/special_tokens.h"
#include "text/textkit_call.h"

namespace tribar::text {
namespace {

// GGUF's token types, as TkToken::kind has them.
constexpr uint8_t kAbsent = 0;
constexpr uint8_t kUnknown = 2;
constexpr uint8_t kControl = 3;

struct FreeTokenizer {
  void operator()(TkTokenizer* tokenizer) const { tk_tokenizer_free(tokenizer); }
};
using TokenizerHandle = std::unique_ptr<TkTokenizer, FreeTokenizer>;

class TextkitTokenizer final : public Tokenizer {
 public:
  explicit TextkitTokenizer(TokenizerHandle handle) : handle_(std::move(handle)) {
    tk_tokenizer_traits(handle_.get(), &traits_);
  }

  void set_special(SpecialTokens special) { special_ = std::move(special); }
  const TkTraits& traits() const { return traits_; }

  Status encode(std::string_view text, EncodeOptions options, std::vector<TokenId>* ids) const override {
    ids->clear();
    if (options.add_special) *ids = special_.prefix;
    TRIBAR_RETURN_IF_ERROR(append(text, options.parse_special, {}, ids));
    if (options.add_special) ids->insert(ids->end(), special_.suffix.begin(), special_.suffix.end());
    return {};
  }

  Status encode_prompt(std::string_view text, std::span<const TextSpan> untrusted,
                       std::vector<TokenId>* ids) const override {
    ids->clear();
    std::vector<TkSpan> spans;
    spans.reserve(untrusted.size());
    for (const TextSpan& span : untrusted) spans.push_back({span.begin, span.end});
    return append(text, true, spans, ids);
  }

  int64_t vocab_size() const override { return static_cast<int64_t>(traits_.size); }
  bool valid(TokenId id) const override { return token(id).kind != kAbsent; }

  std::string_view token_bytes(TokenId id, bool skip_special) const override {
    const TkToken t = token(id);
    if (skip_special && (t.kind == kControl || t.kind == kUnknown)) return {};
    return as_view(t.bytes);
  }
  std::string_view token_text(TokenId id) const override { return as_view(token(id).text); }
  bool is_control(TokenId id) const override { return token(id).kind == kControl; }
  bool strips_leading_space() const override { return traits_.strips_leading_space != 0; }

  std::optional<TokenId> bos() const override { return special_.bos; }
  std::optional<TokenId> eos() const override { return special_.eos; }
  bool adds_bos() const override { return special_.adds_bos; }
  const std::vector<TokenId>& end_tokens() const override { return special_.end; }

  std::optional<TokenId> find(std::string_view text) const override {
    const int64_t id = tk_tokenizer_find(handle_.get(), as_bytes(text));
    if (id < 0) return std::nullopt;
    return static_cast<TokenId>(id);
  }

  const TkTokenizer* handle() const override { return handle_.get(); }

 private:
  TkToken token(TokenId id) const {
    TkToken t{};
    if (id >= 0) tk_tokenizer_token(handle_.get(), static_cast<uint32_t>(id), &t);
    return t;
  }

  Status append(std::string_view text, bool parse_special, std::span<const TkSpan> untrusted,
                std::vector<TokenId>* ids) const {
    TkIds found{};
    TkBuffer error{};
    const int32_t code = tk_tokenizer_encode(handle_.get(), as_bytes(text), parse_special ? 1 : 0, untrusted.data(),
                                             untrusted.size(), &found, &error);
    if (code != kTkOk) return to_status(code, take(error));
    ids->reserve(ids->size() + found.size);
    std::transform(found.data, found.data + found.size, std::back_inserter(*ids),
                   [](uint32_t id) { return static_cast<TokenId>(id); });
    tk_ids_free(found);
    return {};
  }

  TokenizerHandle handle_;
  TkTraits traits_{};
  SpecialTokens special_;
};

// Strings joined into one block, as the C ABI takes them.
struct JoinedStrings {
  explicit JoinedStrings(const std::vector<std::string>& strings) {
    size_t size = 0;
    for (const std::string& s : strings) size += s.size();
    bytes.reserve(size);
    ends.reserve(strings.size());
    for (const std::string& s : strings) {
      bytes += s;
      ends.push_back(bytes.size());
    }
  }
  TkStrings view() const { return {as_bytes(bytes), ends.data(), ends.size()}; }

  std::string bytes;
  std::vector<size_t> ends;
};

int32_t flag(std::optional<bool> value) { return value.has_value() ? int32_t{*value} : -1; }

Result<TokenizerHandle> build_from_gguf(const TokenizerSource& source) {
  const JoinedStrings tokens(source.tokens);
  const JoinedStrings merges(source.merges);
  const TkGguf vocab = {
      .model = as_bytes(source.model),
      .pre = as_bytes(source.pre),
      .architecture = as_bytes(source.architecture),
      .tokens = tokens.view(),
      .merges = merges.view(),
      .scores = source.scores.data(),
      .scores_count = source.scores.size(),
      .token_types = source.token_types.data(),
      .token_types_count = source.token_types.size(),
      .precompiled_charsmap = {reinterpret_cast<const char*>(source.precompiled_charsmap.data()),
                               source.precompiled_charsmap.size()},
      .unknown_id = source.unk.value_or(-1),
      .add_space_prefix = flag(source.add_space_prefix),
      .remove_extra_whitespaces = flag(source.remove_extra_whitespaces),
      .escape_whitespaces = flag(source.escape_whitespaces),
  };
  TkTokenizer* handle = nullptr;
  TkBuffer error{};
  const int32_t code = tk_tokenizer_from_gguf(&vocab, &handle, &error);
  if (code != kTkOk) return to_status(code, take(error));
  return TokenizerHandle(handle);
}

Result<TokenizerHandle> build_from_json(const TokenizerSource& source) {
  TkTokenizer* handle = nullptr;
  TkBuffer error{};
  const int32_t code = tk_tokenizer_from_json(as_bytes(source.tokenizer_json), &handle, &error);
  if (code != kTkOk) return to_status(code, take(error)).with_context("tokenizer.json");
  return TokenizerHandle(handle);
}

std::vector<TokenId> as_ids(const uint32_t* ids, size_t count) { return {ids, ids + count}; }

}  // namespace

Result<std::unique_ptr<Tokenizer>> make_tokenizer(const TokenizerSource& source) {
  const bool from_json = !source.tokenizer_json.empty();
  TRIBAR_ASSIGN_OR_RETURN(TokenizerHandle handle, from_json ? build_from_json(source) : build_from_gguf(source));
  auto tokenizer = std::make_unique<TextkitTokenizer>(std::move(handle));
  const FindToken find = [&](std::string_view text) { return tokenizer->find(text); };
  const int64_t vocab_size = tokenizer->vocab_size();
  TRIBAR_ASSIGN_OR_RETURN(SpecialTokens special, from_json ? special_tokens_of_json(source, vocab_size, find)
                                                           : special_tokens_of_gguf(source, vocab_size, find));
  if (from_json) {
    const TkTraits& traits = tokenizer->traits();
    special.prefix = as_ids(traits.prefix, traits.prefix_count);
    special.suffix = as_ids(traits.suffix, traits.suffix_count);
    special.adds_bos =
        special.bos.has_value() && std::ranges::find(special.prefix, *special.bos) != special.prefix.end();
  }
  tokenizer->set_special(std::move(special));
  return std::unique_ptr<Tokenizer>(std::move(tokenizer));
}

}  // namespace tribar::text
