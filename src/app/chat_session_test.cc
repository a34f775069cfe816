#include "app/chat_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdio>

#include "app/testing/fake_loaded_model.h"
#include "app/text_input.h"

namespace tribar::app {
namespace {

using testing::HasSubstr;

class ChatSessionTest : public testing::Test {
 protected:
  static SamplingOptions greedy() {
    SamplingOptions options;
    options.params.temperature = 0;
    return options;
  }
  Generation ask(const std::string& message) {
    Result<Generation> g = session_.answer(message, nullptr);
    EXPECT_TRUE(g.ok()) << g.status().message();
    return *g;
  }
  std::string error(std::string_view name, const std::string& argument) {
    return session_.command(name, argument).status().message();
  }

  std::unique_ptr<FakeLoadedModel> fake_ = make_fake_loaded_model({});
  ChatSession session_{&fake_->model, greedy(), "Be brief."};
};

TEST_F(ChatSessionTest, ALaterTurnComputesOnlyWhatIsNew) {
  const Generation first = ask("Hello");
  EXPECT_EQ(first.reused_tokens, 0);
  const Generation second = ask("And then?");
  // The first prompt, its answer and nothing after it: the end token is not part of the next prompt.
  EXPECT_EQ(second.reused_tokens, first.prompt_tokens + 20);
  ASSERT_EQ(session_.messages().size(), 4u);
  EXPECT_EQ(session_.messages()[1].content, first.text);

  // The same conversation computed from nothing gives the same answer.
  std::unique_ptr<FakeLoadedModel> other = make_fake_loaded_model({});
  engine::Engine engine({.executor = other->executor,
                         .allocator = other->model.kv_allocator.get(),
                         .vocab_size = kFakeVocab,
                         .context_tokens = 400,
                         .trained_context = 400},
                        {});
  PhaseClock clock(PhaseClock::Start::kNow);
  GenerationParams p;
  p.request.prompt_ids = *encode_messages(
      other->model, {{"system", "Be brief."}, {"user", "Hello"}, {"assistant", first.text}, {"user", "And then?"}});
  p.request.sampling.temperature = 0;
  p.request.max_tokens = 512;
  p.request.end_tokens = {kFakeEnd};
  EXPECT_EQ(generate(&engine, *other->model.tokenizer, std::move(p), &clock)->text, second.text);
}

TEST_F(ChatSessionTest, AFailedMessageIsTakenBack) {
  ask("Hello");
  EXPECT_THAT(session_.answer("raise", nullptr).status().message(), HasSubstr("the template says no"));
  EXPECT_THAT(session_.answer(std::string(500, 'x'), nullptr).status().message(), HasSubstr("/clear"));
  EXPECT_EQ(session_.messages().size(), 2u);
  ask("Still there?");
  EXPECT_EQ(session_.messages().size(), 4u);
}

TEST_F(ChatSessionTest, SetChangesAndChecksSettings) {
  EXPECT_THAT(*session_.command("set", "temperature 0.5"), HasSubstr("temperature is 0.5"));
  EXPECT_EQ(session_.sampling().params.temperature, 0.5);
  EXPECT_TRUE(session_.command("set", "top-k 7").ok());
  EXPECT_EQ(session_.sampling().params.top_k, 7);
  EXPECT_TRUE(session_.command("set", "max_tokens 3").ok());
  EXPECT_EQ(ask("Hello").output_tokens, 3);
  EXPECT_TRUE(session_.command("set", "seed 9").ok());
  EXPECT_EQ(session_.sampling().seed, 9u);
  EXPECT_THAT(error("set", "temperature -1"), HasSubstr("must be at least 0"));
  EXPECT_THAT(error("set", "temperature hot"), HasSubstr("not a number"));
  EXPECT_THAT(error("set", "temprature 1"), HasSubstr("did you mean 'temperature'?"));
  EXPECT_THAT(error("set", "max_tokens 0"), HasSubstr("positive"));
  EXPECT_THAT(error("set", "top_k"), HasSubstr("name and a value"));
  EXPECT_EQ(session_.sampling().params.temperature, 0.5);
  EXPECT_THAT(*session_.command("set", ""), HasSubstr("temperature 0.5\ntop_k 7\n"));
}

TEST_F(ChatSessionTest, StatsHelpAndUnknownCommands) {
  EXPECT_THAT(error("stats", ""), HasSubstr("no answer yet"));
  ask("Hello");
  EXPECT_THAT(*session_.command("stats", ""), HasSubstr("answer 21 tokens, finish: stop"));
  EXPECT_THAT(*session_.command("help", ""), HasSubstr("/save FILE"));
  EXPECT_THAT(error("stat", ""), HasSubstr("did you mean '/stats'?"));
  EXPECT_THAT(error("frobnicate", ""), HasSubstr("/help lists them"));
}

TEST_F(ChatSessionTest, SystemMessageAndClear) {
  const std::string brief = ask("Hello").text;
  ASSERT_TRUE(session_.command("clear", "").ok());
  EXPECT_TRUE(session_.messages().empty());
  ASSERT_TRUE(session_.command("system", "Talk at length.").ok());
  EXPECT_NE(ask("Hello").text, brief);
  ASSERT_TRUE(session_.command("clear", "").ok());
  ASSERT_TRUE(session_.command("system", "Be brief.").ok());
  EXPECT_EQ(ask("Hello").text, brief);
}

TEST_F(ChatSessionTest, SaveWritesTheConversation) {
  const std::string path = testing::TempDir() + "tribar_chat_save.json";
  const std::string answer = ask("Hello \"you\"").text;
  EXPECT_THAT(*session_.command("save", path), HasSubstr("saved 3 messages"));
  const boost::json::value saved = boost::json::parse(*read_text(path));
  EXPECT_EQ(saved.at("messages").at(0).at("role").as_string(), "system");
  EXPECT_EQ(saved.at("messages").at(1).at("content").as_string(), "Hello \"you\"");
  EXPECT_EQ(saved.at("messages").at(2).at("content").as_string(), answer);
  std::remove(path.c_str());
  EXPECT_THAT(error("save", "/no/such/folder/x"), HasSubstr("cannot write '/no/such/folder/x'"));
  EXPECT_THAT(error("save", ""), HasSubstr("name of a file"));
}

}  // namespace
}  // namespace tribar::app
