// Tokenizers against golden answers (HF tokenizers 0.23 and llama.cpp). Built twice: the fast test reads the tiny
// vocabularies of tests/data/tokenizer, the slow one (TRIBAR_SLOW) the large case set, where it is present.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "engine/tokenizer_source.h"
#include "text/case_file.h"
#include "text/detokenizer.h"

namespace tribar {
namespace {

using test::case_ids;
using test::case_text;
namespace json = boost::json;

struct Vocabulary {
  std::string directory;  // with cases.jsonl and perhaps decode.jsonl, disputed.jsonl
  std::string file;       // a GGUF or a tokenizer.json
};

void PrintTo(const Vocabulary& v, std::ostream* out) { *out << v.file; }

Result<std::unique_ptr<text::Tokenizer>> open_tokenizer(const std::string& file) {
  text::TokenizerSource source;
  if (file.ends_with(".json")) {
    source.tokenizer_json = test::read_file(file);
  } else {
    TRIBAR_ASSIGN_OR_RETURN(std::unique_ptr<format::ModelFiles> files, format::open_model_files(file));
    TRIBAR_ASSIGN_OR_RETURN(source, engine::tokenizer_source(*files));
  }
  return text::make_tokenizer(source);
}

std::string vocabularies_directory() {
#ifdef TRIBAR_SLOW
  return test::cases_directory("tokenizer");
#else
  return TRIBAR_TEST_DATA "/tokenizer";
#endif
}

std::vector<Vocabulary> vocabularies() {
  std::vector<Vocabulary> found;
  const std::string root = vocabularies_directory();
  if (root.empty()) return found;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    for (const char* name : {"/vocab.gguf", "/tokenizer.json"}) {
      const std::string file = entry.path().string() + name;
      if (std::filesystem::exists(file)) found.push_back({entry.path().string(), file});
    }
  }
  return found;
}

class TokenizerCases : public testing::TestWithParam<Vocabulary> {
 protected:
  void SetUp() override {
    auto opened = open_tokenizer(GetParam().file);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    tokenizer_ = std::move(opened).value();
  }

  std::vector<json::value> lines(const std::string& name) const {
    const std::string path = GetParam().directory + "/" + name;
    return std::filesystem::exists(path) ? test::read_json_lines(path) : std::vector<json::value>();
  }

  void expect_ids(const json::object& c, const std::vector<int32_t>& want) const {
    std::vector<int32_t> got;
    const text::EncodeOptions options = {.add_special = c.at("add_special").as_bool(),
                                         .parse_special = c.at("parse_special").as_bool()};
    const std::string text = case_text(c.at("text"));
    const Status status = tokenizer_->encode(text, options, &got);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(got == want) << c.at("cat") << ": " << text.substr(0, 200) << " add_special " << options.add_special
                             << " parse_special " << options.parse_special << ", " << got.size() << " ids for "
                             << want.size();
  }

  void expect_decoded(const json::object& c, const std::string& want) const {
    std::vector<int32_t> ids = case_ids(c);
    const text::DecodeOptions options = {.skip_special = c.at("skip_special").as_bool()};
    EXPECT_EQ(text::decode(*tokenizer_, ids, options), want);
    const json::value* stream = c.if_contains("stream");
    if (stream == nullptr) return;
    text::StreamDecoder decoder(tokenizer_.get(), options);
    json::array pieces;
    for (const int32_t id : ids) pieces.emplace_back(decoder.push(id));
    pieces.emplace_back(decoder.finish());
    EXPECT_EQ(json::value(pieces), *stream);
  }

  std::unique_ptr<text::Tokenizer> tokenizer_;
};

TEST_P(TokenizerCases, EncodesAsTheReference) {
  const std::vector<json::value> cases = lines("cases.jsonl");
  ASSERT_FALSE(cases.empty());
  for (const json::value& c : cases) expect_ids(c.as_object(), case_ids(c.as_object()));
}

TEST_P(TokenizerCases, DecodesAndStreamsAsTheReference) {
  for (const json::value& c : lines("decode.jsonl")) {
    expect_decoded(c.as_object(), std::string(c.at("text").as_string()));
  }
}

TEST_P(TokenizerCases, SettlesDisputesAsTheReferenceSays) {
  for (const json::value& line : lines("disputed.jsonl")) {
    const json::object& c = line.as_object();
    const std::string right(c.at("right").as_string());
    if (c.contains("kind")) {
      expect_decoded(c, std::string(c.at("rule").as_string()));
    } else if (right != "unsettled") {
      const json::value& answer = c.at(right);
      std::vector<int32_t> want;
      if (answer.is_array()) {
        test::append_ids(answer, &want);
      } else {
        want = case_ids(answer.as_object());
      }
      expect_ids(c, want);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, TokenizerCases, testing::ValuesIn(vocabularies()), [](const auto& info) {
  const std::filesystem::path path(info.param.file);
  std::string name = path.parent_path().filename().string() + "_" + path.extension().string().substr(1) + "_" +
                     std::to_string(info.index);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TokenizerCases);

}  // namespace
}  // namespace tribar
