#include "engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "engine/sampler/philox.h"
#include "engine/testing/fake_model.h"

namespace tribar::engine {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Le;

constexpr int64_t kVocab = 50;

struct Model {
  explicit Model(EngineOptions options, int64_t blocks = 64, int64_t recompute_length = 0)
      : executor(kVocab, blocks, 4),
        allocator(blocks, 4),
        engine({.executor = &executor,
                .allocator = &allocator,
                .vocab_size = kVocab,
                .context_tokens = 100,
                .trained_context = 100,
                .recompute_length = recompute_length},
               options) {
    if (recompute_length > 0) executor.long_rope_length = recompute_length;
  }
  FakeExecutor executor;
  FakeAllocator allocator;
  Engine engine;
};

std::vector<int32_t> prompt(size_t tokens, uint64_t seed) {
  std::vector<int32_t> ids(tokens);
  for (size_t i = 0; i < tokens; ++i) ids[i] = static_cast<int32_t>(uniform(seed, i) * kVocab);
  return ids;
}

Request greedy(std::vector<int32_t> ids, int64_t max_tokens) {
  Request request;
  request.prompt_ids = std::move(ids);
  request.max_tokens = max_tokens;
  request.sampling.temperature = 0;
  return request;
}

struct Output {
  std::vector<int32_t> tokens;
  FinishReason finish = FinishReason::kNone;
  Status status;
  int finishes = 0;
};

std::map<SequenceId, Output> drain(Engine* engine) {
  std::map<SequenceId, Output> outputs;
  const Status status = engine->drain([&](const TokenEvent& e) {
    Output& o = outputs[e.sequence];
    EXPECT_EQ(o.finishes, 0) << "an event after the last one";
    if (e.token != TokenEvent::kNoToken) o.tokens.push_back(e.token);
    if (e.finish != FinishReason::kNone) ++o.finishes;
    o.finish = e.finish;
    o.status = e.status;
  });
  EXPECT_TRUE(status.ok()) << status.message();
  return outputs;
}

TEST(Engine, GeneratesTheSameTokensWhateverTheChunkSize) {
  const std::vector<int32_t> ids = prompt(37, 1);
  const std::vector<int32_t> expected = fake_greedy(kVocab, ids, 20);
  for (int64_t budget : {1, 2, 7, 36, 37, 38, 512}) {
    Model m({.token_budget = budget});
    const SequenceId id = *m.engine.submit(greedy(ids, 20));
    const Output o = drain(&m.engine)[id];
    EXPECT_EQ(o.tokens, expected) << "token budget " << budget;
    EXPECT_EQ(o.finish, FinishReason::kLength);
    EXPECT_THAT(m.executor.step_tokens, Each(Le(budget)));
    EXPECT_EQ(m.allocator.usage().free_blocks, 64);
  }
}

TEST(Engine, ManySequencesGenerateWhatEachGeneratesAlone) {
  // 24 and 12 blocks of 4 do not hold all that start: some wait, some are preempted.
  for (int64_t blocks : {64, 24, 12}) {
    Model m({.token_budget = 9, .max_sequences = 6}, blocks);
    std::map<SequenceId, std::vector<int32_t>> expected;
    for (uint64_t i = 0; i < 10; ++i) {
      const std::vector<int32_t> ids = prompt(3 + i * 2, i);
      expected[*m.engine.submit(greedy(ids, 15))] = fake_greedy(kVocab, ids, 15);
    }
    std::map<SequenceId, Output> outputs = drain(&m.engine);
    for (const auto& [id, tokens] : expected) {
      EXPECT_EQ(outputs[id].tokens, tokens);
      EXPECT_EQ(outputs[id].finishes, 1);
    }
    EXPECT_EQ(m.allocator.usage().free_blocks, blocks);
    EXPECT_EQ(m.engine.stats().preemptions > 0, blocks < 64);
  }
}

TEST(Engine, SampledTextDependsOnTheSeedAlone) {
  const std::vector<int32_t> ids = prompt(20, 3);
  const auto text = [&](EngineOptions options, uint64_t seed, int neighbours) {
    Model m(options, 200);
    Request request = greedy(ids, 30);
    request.sampling.temperature = 1.0;
    request.sampling.seed = seed;
    for (int i = 0; i < neighbours; ++i) EXPECT_TRUE(m.engine.submit(greedy(prompt(10, 90), 5)).ok());
    const SequenceId id = *m.engine.submit(request);
    return drain(&m.engine)[id].tokens;
  };
  const std::vector<int32_t> expected = text({}, 5, 0);
  EXPECT_EQ(text({.token_budget = 3}, 5, 0), expected);
  EXPECT_EQ(text({.token_budget = 40}, 5, 8), expected);
  EXPECT_NE(text({}, 6, 0), expected);
}

TEST(Engine, StopsAtAnEndToken) {
  const std::vector<int32_t> ids = prompt(8, 4);
  const std::vector<int32_t> expected = fake_greedy(kVocab, ids, 30);
  Model m({});
  Request request = greedy(ids, 30);
  request.end_tokens = {expected[5]};
  const SequenceId id = *m.engine.submit(request);
  const Output o = drain(&m.engine)[id];
  EXPECT_EQ(o.finish, FinishReason::kEndToken);
  EXPECT_EQ(o.tokens.back(), expected[5]);
  EXPECT_LE(o.tokens.size(), 6u);
}

TEST(Engine, AFullContextEndsWithLength) {
  Model m({});
  const SequenceId id = *m.engine.submit(greedy(prompt(90, 5), 1000));
  const Output o = drain(&m.engine)[id];
  EXPECT_EQ(o.finish, FinishReason::kLength);
  EXPECT_EQ(o.tokens.size(), 10u);
}

TEST(Engine, APoolThatIsTooSmallEndsWithLengthToo) {
  Model m({.token_budget = 8}, 4);
  const SequenceId fits = *m.engine.submit(greedy(prompt(10, 5), 1000));
  const SequenceId too_long = *m.engine.submit(greedy(prompt(30, 5), 1000));
  std::map<SequenceId, Output> outputs = drain(&m.engine);
  EXPECT_EQ(outputs[fits].finish, FinishReason::kLength);
  EXPECT_EQ(outputs[fits].tokens.size(), 7u);  // 16 positions are computed, one more token is known
  EXPECT_EQ(outputs[too_long].finish, FinishReason::kLength);
  EXPECT_EQ(outputs[too_long].tokens.size(), 0u);
  EXPECT_EQ(m.allocator.usage().free_blocks, 4);
}

TEST(Engine, CancelGivesBlocksBackAndTouchesNobodyElse) {
  Model m({.token_budget = 16});
  const std::vector<int32_t> ids = prompt(12, 6);
  const SequenceId kept = *m.engine.submit(greedy(ids, 10));
  const SequenceId running = *m.engine.submit(greedy(prompt(30, 7), 10));
  const SequenceId waiting = *m.engine.submit(greedy(prompt(30, 8), 10));
  ASSERT_TRUE(m.engine.step().ok());
  EXPECT_TRUE(m.engine.cancel(running).ok());
  EXPECT_TRUE(m.engine.cancel(waiting).ok());
  EXPECT_EQ(m.engine.cancel(waiting).code(), StatusCode::kNotFound);
  std::map<SequenceId, Output> outputs = drain(&m.engine);
  EXPECT_EQ(outputs.size(), 1u);
  EXPECT_EQ(m.engine.cancel(kept).code(), StatusCode::kNotFound);
  EXPECT_EQ(m.allocator.usage().free_blocks, 64);
}

TEST(Engine, TheNextTurnComputesOnlyWhatIsNew) {
  Model m({.token_budget = 64, .retained_sequences = 1});
  std::vector<int32_t> ids = prompt(20, 9);
  const SequenceId first = *m.engine.submit(greedy(ids, 10));
  const std::vector<int32_t> answer = drain(&m.engine)[first].tokens;
  EXPECT_EQ(m.engine.stats().kv.free_blocks, 64);

  ids.insert(ids.end(), answer.begin(), answer.end());
  ids.insert(ids.end(), {1, 2, 3});
  m.executor.step_tokens.clear();
  const SequenceId second = *m.engine.submit(greedy(ids, 10));
  EXPECT_EQ(drain(&m.engine)[second].tokens, fake_greedy(kVocab, ids, 10));
  EXPECT_EQ(m.executor.step_tokens.front(), 4);  // the last sampled token was never computed, plus three new ones
  EXPECT_EQ(m.engine.stats().reused_tokens, 29);

  // A prompt that leaves the common path in the middle, and one that is wholly known.
  std::vector<int32_t> other(ids.begin(), ids.begin() + 15);
  other.push_back(49);
  const SequenceId third = *m.engine.submit(greedy(other, 10));
  EXPECT_EQ(drain(&m.engine)[third].tokens, fake_greedy(kVocab, other, 10));
  const SequenceId fourth = *m.engine.submit(greedy(other, 10));
  EXPECT_EQ(drain(&m.engine)[fourth].tokens, fake_greedy(kVocab, other, 10));
  EXPECT_EQ(m.engine.stats().reused_tokens, 29 + 15 + 15);
}

TEST(Engine, RetainedBlocksNeverTakeRoomFromARequest) {
  Model m({.token_budget = 64, .retained_sequences = 4}, 16);
  for (uint64_t i = 0; i < 6; ++i) {
    const std::vector<int32_t> ids = prompt(40, 20 + i);
    const SequenceId id = *m.engine.submit(greedy(ids, 20));
    EXPECT_EQ(drain(&m.engine)[id].tokens, fake_greedy(kVocab, ids, 20));
  }
}

TEST(Engine, LongRopeRecomputesAndReusesOnlyShortSequences) {
  constexpr int64_t kLimit = 24;
  Model m({.token_budget = 7, .retained_sequences = 2}, 64, kLimit);
  for (size_t tokens : {20, 20, 24, 25, 40, 21}) {
    const std::vector<int32_t> ids = prompt(tokens, 30);
    const SequenceId id = *m.engine.submit(greedy(ids, 12));
    EXPECT_EQ(drain(&m.engine)[id].tokens, fake_greedy(kVocab, ids, 12, kLimit)) << tokens << " tokens";
  }
  EXPECT_GT(m.engine.stats().reused_tokens, 0);
}

TEST(Engine, BrokenLogitsFailOneSequence) {
  Model m({});
  int rows = 0;
  m.executor.poison = [&](std::span<float> row) {
    if (++rows == 4) row[7] = std::numeric_limits<float>::quiet_NaN();
  };
  const SequenceId a = *m.engine.submit(greedy(prompt(5, 1), 5));
  const SequenceId b = *m.engine.submit(greedy(prompt(5, 2), 5));
  std::map<SequenceId, Output> outputs = drain(&m.engine);
  EXPECT_EQ(outputs[a].finish, FinishReason::kLength);
  EXPECT_EQ(outputs[b].finish, FinishReason::kFailed);
  EXPECT_THAT(outputs[b].status.message(), HasSubstr("not finite"));
  EXPECT_EQ(outputs[b].tokens.size(), 1u);
}

TEST(Engine, RefusesBadRequests) {
  Model m({});
  const auto message = [&](Request request) { return m.engine.submit(std::move(request)).status().message(); };
  EXPECT_EQ(message(greedy({}, 1)), "the prompt is empty");
  EXPECT_THAT(message(greedy({1, 50}, 1)), HasSubstr("token 50 is outside the vocabulary of 50 tokens"));
  EXPECT_THAT(message(greedy({-1}, 1)), HasSubstr("token -1"));
  EXPECT_THAT(message(greedy(prompt(100, 1), 1)),
              HasSubstr("the prompt has 100 tokens but the context holds only 100"));
  EXPECT_THAT(message(greedy({1}, 0)), HasSubstr("max_tokens"));
  Request request = greedy({1}, 1);
  request.sampling.top_p = 2;
  EXPECT_THAT(message(request), HasSubstr("top_p is 2"));
  EXPECT_TRUE(m.engine.idle());
}

// Arrivals and cancels at random, pools from tight to ample: whatever happens, each text is what it is alone, every
// sequence ends once, and all blocks come back.
TEST(Engine, RandomScenarios) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    uint64_t draws = 0;
    const auto random = [&](int64_t n) {
      return static_cast<int64_t>(uniform(seed, draws++) * static_cast<double>(n));
    };
    const int64_t blocks = 8 + random(40);
    const int64_t long_rope = random(3) == 0 ? 10 + random(20) : 0;
    Model m({.token_budget = 1 + random(20), .max_sequences = 1 + random(5), .retained_sequences = random(3)}, blocks,
            long_rope);
    struct Live {
      std::vector<int32_t> expected, got;
      bool ended = false, cancelled = false;
    };
    std::map<SequenceId, Live> all;
    int64_t to_submit = 8;
    while (to_submit > 0 || !m.engine.idle()) {
      if (to_submit > 0 && random(3) == 0) {
        --to_submit;
        const std::vector<int32_t> ids = prompt(static_cast<size_t>(1 + random(15)), static_cast<uint64_t>(random(3)));
        const int64_t tokens = 1 + random(12);
        const SequenceId id = *m.engine.submit(greedy(ids, tokens));
        all[id].expected = fake_greedy(kVocab, ids, tokens, long_rope > 0 ? long_rope : INT64_MAX);
      }
      if (!all.empty() && random(20) == 0) {
        auto& [id, live] = *std::next(all.begin(), random(static_cast<int64_t>(all.size())));
        if (m.engine.cancel(id).ok()) live.cancelled = true;
      }
      const Result<const StepReport*> report = m.engine.step();
      ASSERT_TRUE(report.ok());
      for (const TokenEvent& e : (*report)->events) {
        Live& live = all.at(e.sequence);
        ASSERT_FALSE(live.ended || live.cancelled);
        if (e.token != TokenEvent::kNoToken) live.got.push_back(e.token);
        live.ended = e.finish != FinishReason::kNone;
      }
    }
    for (auto& [id, live] : all) {
      ASSERT_TRUE(live.ended || live.cancelled) << "seed " << seed;
      if (live.cancelled) live.expected.resize(live.got.size());
      ASSERT_EQ(live.got, live.expected) << "seed " << seed;
    }
    ASSERT_EQ(m.engine.stats().kv.free_blocks, blocks) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tribar::engine
