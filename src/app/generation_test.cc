#include "app/generation.h"

#include <gtest/gtest.h>

#include <csignal>
#include <utility>

#include "app/interrupt.h"
#include "app/testing/fake_loaded_model.h"
#include "engine/engine_parts.h"

namespace tribar::app {
namespace {

class GenerationTest : public testing::Test {
 protected:
  GenerationParams params(int64_t max_tokens) {
    GenerationParams p;
    p.request.prompt_ids = {1, 2, 3};
    p.request.max_tokens = max_tokens;
    p.request.sampling.seed = 3;
    p.request.end_tokens = {kFakeEnd};
    p.print = [this](std::string_view piece) { printed_ += piece; };
    return p;
  }
  Result<Generation> run(GenerationParams p) {
    printed_.clear();
    fake_->rows = 0;
    return generate(&engine_, *fake_->model.tokenizer, std::move(p), &clock_);
  }

  std::unique_ptr<FakeLoadedModel> fake_ = make_fake_loaded_model({});
  engine::Engine engine_{engine::engine_parts(fake_->model), {}};
  PhaseClock clock_{PhaseClock::Start::kNow};
  std::string printed_;
};

TEST_F(GenerationTest, StreamsUntilTheEndToken) {
  const Generation g = *run(params(100));
  EXPECT_EQ(g.finish, Finish::kStop);
  EXPECT_EQ(g.output_tokens, 21);
  EXPECT_EQ(g.text.size(), 20u);
  EXPECT_EQ(printed_, g.text);
  EXPECT_EQ(clock_.tokens(Phase::kPrefill), 3);
  EXPECT_EQ(clock_.tokens(Phase::kDecode), 20);
  EXPECT_EQ(clock_.tokens(Phase::kSample), 21);
}

TEST_F(GenerationTest, EndsAtTheTokenLimit) {
  const Generation g = *run(params(5));
  EXPECT_EQ(g.finish, Finish::kLength);
  EXPECT_EQ(g.text.size(), 5u);
}

TEST_F(GenerationTest, EndsBeforeAStopString) {
  const std::string whole = run(params(100))->text;
  GenerationParams p = params(100);
  p.stops = {whole.substr(7, 3)};
  const Generation g = *run(std::move(p));
  EXPECT_EQ(g.finish, Finish::kStop);
  EXPECT_EQ(g.text, whole.substr(0, whole.find(whole.substr(7, 3))));
  EXPECT_EQ(printed_, g.text);
  EXPECT_TRUE(engine_.idle());
}

TEST_F(GenerationTest, CtrlCKeepsWhatIsThere) {
  InterruptScope scope;
  GenerationParams p = params(100);
  p.print = [this](std::string_view piece) {
    printed_ += piece;
    if (printed_.size() == 4) raise(SIGINT);
  };
  const Generation g = *run(std::move(p));
  EXPECT_EQ(g.finish, Finish::kInterrupted);
  EXPECT_EQ(g.text.size(), 4u);
  EXPECT_TRUE(engine_.idle());
  clear_interrupt();
  EXPECT_EQ(run(params(100))->finish, Finish::kStop);
}

TEST_F(GenerationTest, ReportsABadRequest) {
  GenerationParams p = params(100);
  p.request.prompt_ids = {999};
  EXPECT_EQ(run(std::move(p)).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tribar::app
