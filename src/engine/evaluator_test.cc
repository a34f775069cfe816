#include "engine/evaluator.h"

#include <gtest/gtest.h>

#include <map>

#include "runtime/test_runner.h"
#include "runtime/tiny_decoder.h"

namespace tribar::engine {
namespace {

constexpr int64_t kVocab = 50;
constexpr int64_t kContext = 64;

// A LoadedModel of a tiny decoder, without files.
struct TinyModel : LoadedModel {
  std::unique_ptr<runtime::TestWeights> source;  // stands for the mapped file
};

std::unique_ptr<TinyModel> make_model(int64_t switch_length, int64_t max_logit_rows = 16) {
  const graph::Graph graph = runtime::make_tiny_decoder({.vocab = kVocab, .rope_switch_length = switch_length});
  auto m = std::make_unique<TinyModel>();
  m->source = std::make_unique<runtime::TestWeights>(graph, 4);
  m->info.vocab_size = kVocab;
  m->info.recompute_length = switch_length;
  m->context_tokens = kContext;
  m->max_step_tokens = 32;
  m->max_logit_rows = max_logit_rows;
  m->team = std::make_unique<ThreadTeam>(2);
  using Runner = runtime::TestRunner;
  m->weights = Runner::take(runtime::WeightStore::load(graph, m->source->options(Isa::kReference), m->team.get()));
  m->kv_cache = Runner::take(runtime::KvCache::create(graph.kv_layers, {DType::kF32, 8, kContext / 8}));
  m->kv_allocator = runtime::make_block_pool(kContext / 8, 8);
  m->executor = Runner::take(runtime::Executor::create(
      graph, m->weights.get(), m->kv_cache.get(), m->team.get(),
      {Isa::kReference, runtime::ExecutionMode::kPlanned, m->max_step_tokens, max_logit_rows}));
  return m;
}

std::vector<int32_t> ids_of(int64_t count) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < count; ++i) ids.push_back(static_cast<int32_t>(i * 17 % kVocab));
  return ids;
}

using Rows = std::map<int64_t, std::vector<float>>;
Evaluator::Sink collect(Rows* rows) {
  return [rows](int64_t position, std::span<const float> logits) {
    EXPECT_TRUE(rows->emplace(position, std::vector<float>(logits.begin(), logits.end())).second) << position;
  };
}

Rows evaluate(LoadedModel* model, std::span<const int32_t> ids, int64_t chunk, WantLogits want = WantLogits::kAll) {
  Evaluator e(model, {.chunk_tokens = chunk});
  Rows rows;
  const Status status = e.append(ids, want, collect(&rows));
  EXPECT_TRUE(status.ok()) << status.message();
  return rows;
}

TEST(Evaluator, LogitsDoNotDependOnChunks) {
  const auto model = make_model(0);
  const std::vector<int32_t> ids = ids_of(40);
  const Rows expected = evaluate(model.get(), ids, 1);
  ASSERT_EQ(expected.size(), 40u);
  for (const int64_t chunk : {3, 16, 32}) EXPECT_EQ(evaluate(model.get(), ids, chunk), expected) << chunk;
  EXPECT_EQ(evaluate(model.get(), ids, 0), expected) << "as large as possible, in spite of 16 rows of logits a step";
  const Rows last = evaluate(model.get(), ids, 32, WantLogits::kLast);
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(last.at(39), expected.at(39));
  EXPECT_TRUE(evaluate(model.get(), ids, 7, WantLogits::kNone).empty());
}

TEST(Evaluator, AppendingOneByOneEqualsAPrompt) {
  const auto model = make_model(0);
  const std::vector<int32_t> ids = ids_of(20);
  const Rows expected = evaluate(model.get(), ids, 32);
  Evaluator e(model.get(), {});
  Rows rows;
  ASSERT_TRUE(e.append(std::span(ids).first(5), WantLogits::kAll, collect(&rows)).ok());
  for (size_t i = 5; i < ids.size(); ++i) {
    ASSERT_TRUE(e.append(std::span(ids).subspan(i, 1), WantLogits::kAll, collect(&rows)).ok());
  }
  EXPECT_EQ(rows, expected);
  EXPECT_EQ(e.length(), 20);
}

TEST(Evaluator, ASequenceThatCrossesTheOriginalLengthIsComputedAgain) {
  const auto model = make_model(24);
  const std::vector<int32_t> ids = ids_of(30);
  // Every position of a sequence of n tokens, computed afresh.
  const auto fresh = [&](size_t n) { return evaluate(model.get(), std::span(ids).first(n), 32); };
  Evaluator e(model.get(), {.chunk_tokens = 7});
  Rows rows;
  ASSERT_TRUE(e.append(std::span(ids).first(20), WantLogits::kLast, collect(&rows)).ok());
  EXPECT_EQ(rows.at(19), fresh(20).at(19));
  for (size_t n = 21; n <= ids.size(); ++n) {
    rows.clear();
    ASSERT_TRUE(e.append(std::span(ids).subspan(n - 1, 1), WantLogits::kLast, collect(&rows)).ok());
    EXPECT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows.at(static_cast<int64_t>(n) - 1), fresh(n).at(static_cast<int64_t>(n) - 1)) << n;
  }
  EXPECT_NE(fresh(24).at(5), fresh(25).at(5)) << "the long frequencies reach the first tokens too";
}

TEST(Evaluator, RefusedTokensLeaveTheSequenceAsItWas) {
  const auto model = make_model(0);
  const std::vector<int32_t> ids = ids_of(20);
  const Rows expected = evaluate(model.get(), ids, 32);
  Evaluator e(model.get(), {});
  Rows rows;
  ASSERT_TRUE(e.append(std::span(ids).first(10), WantLogits::kAll, collect(&rows)).ok());
  for (const int32_t bad : {-1, int32_t{kVocab}}) {
    EXPECT_EQ(e.append({&bad, 1}, WantLogits::kAll, collect(&rows)).code(), StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(e.append(ids_of(60), WantLogits::kAll, collect(&rows)).code(), StatusCode::kInvalidArgument) << "context";
  Evaluator other(model.get(), {});
  ASSERT_TRUE(other.append(ids_of(48), WantLogits::kNone, collect(&rows)).ok());
  EXPECT_EQ(e.append(ids_of(40), WantLogits::kAll, collect(&rows)).code(), StatusCode::kResourceExhausted) << "blocks";
  other.reset();
  ASSERT_TRUE(e.append(std::span(ids).subspan(10), WantLogits::kAll, collect(&rows)).ok());
  EXPECT_EQ(rows, expected);

  Evaluator wide(model.get(), {.chunk_tokens = 33});
  EXPECT_EQ(wide.append(ids, WantLogits::kNone, collect(&rows)).code(), StatusCode::kInvalidArgument) << "chunk";
}

TEST(Evaluator, GivesItsBlocksBack) {
  const auto model = make_model(0);
  {
    Evaluator e(model.get(), {});
    ASSERT_TRUE(e.append(ids_of(20), WantLogits::kNone, {}).ok());
    EXPECT_EQ(model->kv_allocator->usage().free_blocks, 5);
    e.reset();
    EXPECT_EQ(model->kv_allocator->usage().free_blocks, 8);
    ASSERT_TRUE(e.append(ids_of(9), WantLogits::kNone, {}).ok());
  }
  EXPECT_EQ(model->kv_allocator->usage().free_blocks, 8);
}

}  // namespace
}  // namespace tribar::engine
