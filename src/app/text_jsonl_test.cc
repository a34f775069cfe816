#include "app/text_jsonl.h"

#include <gtest/gtest.h>

namespace tribar::app {
namespace {

// "a", "b", "ab", a control token and half a character.
std::unique_ptr<text::Tokenizer> small_tokenizer() {
  text::TokenizerSource source;
  source.model = "gpt2";
  source.pre = "gpt-2";
  source.tokens = {"a", "b", "ab", "<end>", "\xC3\xA2"};  // the byte E2 in GPT-2's alphabet
  source.token_types = {1, 1, 1, 3, 1};
  source.merges = {"a b"};
  source.eos = 3;
  source.add_eos = true;
  auto tokenizer = text::make_tokenizer(source);
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().message();
  return std::move(tokenizer).value();
}

TEST(TokenizeLineTest, TextToIds) {
  const auto tokenizer = small_tokenizer();
  EXPECT_EQ(tokenize_line(*tokenizer, R"({"text":"aba"})"), R"({"ids":[2,0]})");
  EXPECT_EQ(tokenize_line(*tokenizer, R"({"text":"a","add_special":true})"), R"({"ids":[0,3]})");
  EXPECT_EQ(tokenize_line(*tokenizer, R"({"text":"b<end>","parse_special":true})"), R"({"ids":[1,3]})");
  EXPECT_EQ(tokenize_line(*tokenizer, R"({"text":{"repeat":["ab",3]}})"), R"({"ids":[2,2,2]})");
}

TEST(TokenizeLineTest, IdsToText) {
  const auto tokenizer = small_tokenizer();
  EXPECT_EQ(tokenize_line(*tokenizer, R"({"ids":[2,3]})"), R"({"text":"ab<end>"})");
  EXPECT_EQ(tokenize_line(*tokenizer, R"({"ids":[2,3],"skip_special":true})"), R"({"text":"ab"})");
  EXPECT_EQ(tokenize_line(*tokenizer, R"({"ids":[0,4],"stream":true})"),
            "{\"text\":\"a\xEF\xBF\xBD\",\"stream\":[\"a\",\"\",\"\xEF\xBF\xBD\"]}");
}

TEST(TokenizeLineTest, WrongLinesGiveErrorObjects) {
  const auto tokenizer = small_tokenizer();
  for (const char* line : {"", "x", "[]", "{}", R"({"text":1})", R"({"text":"a","add_special":1})", R"({"ids":["x"]})",
                           R"({"ids":[99999999999]})", R"({"text":{"repeat":["ab"]}})",
                           R"({"text":{"repeat":["ab",99999999]}})", "{\"text\":\"\xFF\"}"}) {
    EXPECT_TRUE(tokenize_line(*tokenizer, line).starts_with(R"({"error":{"kind":"invalid_argument")")) << line;
  }
}

TEST(LineRendererTest, RendersMessages) {
  const LineRenderer renderer(
      "{{ bos_token }}{% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}"
      "{% if add_generation_prompt %}>{% endif %}{{ extra }}{{ strftime_now('%Y') }}",
      {"<s>", "</s>"});
  EXPECT_EQ(renderer.line(R"({"messages":[{"role":"user","content":"hi"}],"now":"2026-01-02T03:04:05"})"),
            R"({"text":"<s>user:hi;2026"})");
  EXPECT_EQ(renderer.line(R"({"messages":[],"add_generation_prompt":true,"kwargs":{"extra":1.0},"bos_token":"B",)"
                          R"("now":"2026-01-02T03:04:05"})"),
            R"({"text":"B>1.02026"})");
}

TEST(LineRendererTest, ALineMayBringItsTemplate) {
  const LineRenderer renderer("", {});
  EXPECT_EQ(renderer.line(R"({"template":"{{ x|tojson }}","vars":{"x":{"b":1,"a":2.0}}})"),
            R"({"text":"{\"b\": 1, \"a\": 2.0}"})");
  EXPECT_EQ(renderer.line(R"({"messages":[]})"),
            R"({"error":{"kind":"runtime","message":"the model has no chat template"}})");
}

TEST(LineRendererTest, ErrorsSayTheirKind) {
  const LineRenderer renderer("{{ raise_exception('no ' ~ messages|length) }}", {});
  EXPECT_EQ(renderer.line(R"({"messages":[1,2]})"), R"({"error":{"kind":"raise_exception","message":"no 2"}})");
  const LineRenderer broken("{% endif %}", {});
  EXPECT_TRUE(broken.line(R"({"messages":[]})").starts_with(R"({"error":{"kind":"syntax")"));
  EXPECT_TRUE(renderer.line(R"({"template":"{{ [].append(1) }}"})").starts_with(R"({"error":{"kind":"security")"));
  EXPECT_TRUE(
      renderer.line(R"({"template":"{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}"})")
          .starts_with(R"({"error":{"kind":"limit")"));
  EXPECT_TRUE(renderer.line("nonsense").starts_with(R"({"error":{"kind":"invalid_argument")"));
}

}  // namespace
}  // namespace tribar::app
