// libFuzzer target for tokenizer data: vocabularies as GGUF metadata spells them, whatever they hold, and
// tokenizer.json.
// A vocabulary is refused or works: encoding gives valid ids, a stream decodes to the same text as the whole.
#include <fuzzer/FuzzedDataProvider.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace {

using tribar::text::TokenId;
using tribar::text::Tokenizer;

constexpr std::array kModels = {"llama", "gpt2", "bert", "t5", "gemma4", "other"};
constexpr std::array kPres = {"",      "default", "llama-bpe",      "qwen2", "smollm",
                              "gpt-2", "falcon",  "deepseek-coder", "other"};

std::optional<int64_t> some_id(FuzzedDataProvider* data) {
  if (!data->ConsumeBool()) return std::nullopt;
  return data->ConsumeBool() ? data->ConsumeIntegralInRange<int64_t>(-2, 40) : data->ConsumeIntegral<int64_t>();
}

tribar::text::TokenizerSource vocabulary(FuzzedDataProvider* data) {
  tribar::text::TokenizerSource source;
  source.model = data->PickValueInArray(kModels);
  source.pre = data->PickValueInArray(kPres);
  const size_t tokens = data->ConsumeIntegralInRange<size_t>(0, 40);
  for (size_t i = 0; i < tokens; ++i) source.tokens.push_back(data->ConsumeRandomLengthString(8));
  const auto length = [&] { return data->ConsumeBool() ? tokens : data->ConsumeIntegralInRange<size_t>(0, 45); };
  if (data->ConsumeBool()) source.scores.resize(length());
  for (float& score : source.scores) score = data->ConsumeFloatingPoint<float>();
  if (data->ConsumeBool()) source.token_types.resize(length());
  for (int32_t& type : source.token_types) type = data->ConsumeIntegralInRange<int32_t>(-1, 8);
  const size_t merges = data->ConsumeIntegralInRange<size_t>(0, 20);
  for (size_t i = 0; i < merges; ++i) source.merges.push_back(data->ConsumeRandomLengthString(8));
  source.precompiled_charsmap = data->ConsumeBytes<uint8_t>(data->ConsumeIntegralInRange<size_t>(0, 32));
  for (auto* id : {&source.bos, &source.eos, &source.eot, &source.unk, &source.sep, &source.pad, &source.cls}) {
    *id = some_id(data);
  }
  if (data->ConsumeBool()) source.add_bos = data->ConsumeBool();
  if (data->ConsumeBool()) source.add_space_prefix = data->ConsumeBool();
  return source;
}

void use(const Tokenizer& tokenizer, const std::string& text, tribar::text::EncodeOptions options) {
  std::vector<TokenId> ids;
  if (!tokenizer.encode(text, options, &ids).ok()) return;
  tribar::text::StreamDecoder stream(&tokenizer, {});
  std::string streamed;
  for (const TokenId id : ids) {
    TRIBAR_CHECK(tokenizer.valid(id));
    streamed += stream.push(id);
  }
  streamed += stream.finish();
  TRIBAR_CHECK(streamed == tribar::text::decode(tokenizer, ids, {}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  FuzzedDataProvider data(bytes, size);
  const bool json = data.ConsumeBool();
  const tribar::text::EncodeOptions options{data.ConsumeBool(), data.ConsumeBool()};
  const std::string text = data.ConsumeRandomLengthString(64);
  tribar::text::TokenizerSource source;
  if (json) {
    source.tokenizer_json = data.ConsumeRemainingBytesAsString();
  } else {
    source = vocabulary(&data);
  }
  auto tokenizer = tribar::text::make_tokenizer(source);
  if (tokenizer.ok()) use(**tokenizer, text, options);
  return 0;
}
