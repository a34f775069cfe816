#include "app/testing/fake_loaded_model.h"

#include <array>
#include <boost/json.hpp>
#include <limits>
#include <string>

namespace tribar::app {
namespace {

class ByteTokenizer final : public text::Tokenizer {
 public:
  ByteTokenizer() {
    for (size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<char>(i);
  }
  Status encode(std::string_view text, text::EncodeOptions options, std::vector<text::TokenId>* ids) const override {
    if (options.add_special) ids->push_back(kFakeBos);
    for (char c : text) ids->push_back(static_cast<unsigned char>(c));
    return {};
  }
  Status encode_prompt(std::string_view text, std::span<const text::TextSpan>,
                       std::vector<text::TokenId>* ids) const override {
    return encode(text, {}, ids);
  }
  int64_t vocab_size() const override { return kFakeVocab; }
  bool valid(text::TokenId id) const override { return id >= 0 && id < kFakeVocab; }
  std::string_view token_bytes(text::TokenId id, bool skip_special) const override {
    if (id == kFakeBos) return skip_special ? "" : "<s>";
    if (id == kFakeEnd) return skip_special ? "" : "</s>";
    return {&bytes_[static_cast<size_t>(id)], 1};
  }
  std::string_view token_text(text::TokenId id) const override { return token_bytes(id, false); }
  bool is_control(text::TokenId id) const override { return id >= kFakeBos; }
  bool strips_leading_space() const override { return false; }
  std::optional<text::TokenId> bos() const override { return kFakeBos; }
  std::optional<text::TokenId> eos() const override { return kFakeEnd; }
  bool adds_bos() const override { return true; }
  const std::vector<text::TokenId>& end_tokens() const override { return end_tokens_; }
  std::optional<text::TokenId> find(std::string_view) const override { return std::nullopt; }
  const TkTokenizer* handle() const override { return nullptr; }

 private:
  std::array<char, 256> bytes_{};
  std::vector<text::TokenId> end_tokens_ = {kFakeEnd};
};

class PlainTemplate final : public text::ChatTemplate {
 public:
  text::RenderResult render(std::string_view variables_json, std::string_view) const override {
    const boost::json::value variables = boost::json::parse({variables_json.data(), variables_json.size()});
    text::RenderResult result;
    for (const boost::json::value& message : variables.at("messages").as_array()) {
      const auto& role = message.at("role").as_string();
      const auto& content = message.at("content").as_string();
      if (content == "raise") {
        result.failed = true;
        result.error = {text::TemplateErrorKind::kRaiseException, "the template says no"};
      }
      result.text += std::string(role.data(), role.size()) + ":" + std::string(content.data(), content.size()) + "\n";
    }
    result.text += "assistant:";
    return result;
  }
  Status encode_chat(const text::Tokenizer& tokenizer, std::string_view variables_json, std::vector<text::TokenId>* ids,
                     std::string_view now) const override {
    const text::RenderResult result = render(variables_json, now);
    if (result.failed) return invalid_argument(result.error.message);
    return tokenizer.encode(result.text, {.add_special = true}, ids);
  }
};

}  // namespace

std::unique_ptr<FakeLoadedModel> make_fake_loaded_model(FakeModelOptions options) {
  constexpr int64_t kBlocks = 64, kBlockTokens = 16;
  auto fake = std::make_unique<FakeLoadedModel>();
  engine::LoadedModel& model = fake->model;
  model.info.vocab_size = kFakeVocab;
  model.info.context_length = options.context_tokens;
  model.context_tokens = options.context_tokens;
  model.tokenizer = std::make_unique<ByteTokenizer>();
  model.chat_template_source = "plain";
  model.chat_template = std::make_unique<PlainTemplate>();
  model.kv_allocator = std::make_unique<engine::FakeAllocator>(kBlocks, kBlockTokens);
  auto executor = std::make_unique<engine::FakeExecutor>(kFakeVocab, kBlocks, kBlockTokens);
  fake->executor = executor.get();
  executor->poison = [state = fake.get(), options](std::span<float> row) {
    const bool ends = state->rows == options.answer_tokens;
    state->rows = ends ? 0 : state->rows + 1;
    for (size_t id = 0; id < row.size(); ++id) {
      const bool letter = id >= 'a' && id <= 'z';
      if (ends ? id != kFakeEnd : !letter) row[id] = -std::numeric_limits<float>::infinity();
    }
  };
  model.executor = std::move(executor);
  return fake;
}

}  // namespace tribar::app
