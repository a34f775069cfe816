#include "engine/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "engine/testing/fake_model.h"

namespace tribar::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::unique_ptr<Sequence> sequence(SequenceId id, int64_t prompt_tokens) {
  Request request;
  request.prompt_ids.assign(static_cast<size_t>(prompt_tokens), static_cast<int32_t>(id));
  request.max_tokens = 100;
  return std::make_unique<Sequence>(id, std::move(request));
}

StepSlice slice(SequenceId id, int64_t start, int64_t tokens, int64_t rope, bool samples) {
  return {.sequence = id, .start = start, .token_count = tokens, .rope_length = rope, .samples = samples};
}

// Does to the sequences what the engine does after a step; every sampled token is 7.
void run_plan(Scheduler* scheduler, const StepPlan& plan, const std::vector<Sequence*>& sequences) {
  for (const StepSlice& s : plan.slices) {
    for (Sequence* sequence : sequences) {
      if (sequence->id != s.sequence) continue;
      scheduler->advance(sequence, s);
      if (s.samples) sequence->ids.push_back(7);
    }
  }
}

TEST(Scheduler, CutsAPromptIntoChunksAndThenDecodes) {
  FakeAllocator allocator(64, 4);
  Scheduler scheduler(&allocator, {.token_budget = 8});
  auto a = sequence(1, 20);
  scheduler.add(a.get());
  EXPECT_THAT(scheduler.schedule().slices, ElementsAre(slice(1, 0, 8, 20, false)));
  run_plan(&scheduler, scheduler.schedule(), {});
  scheduler.advance(a.get(), slice(1, 0, 8, 20, false));
  const StepPlan second = scheduler.schedule();
  EXPECT_THAT(second.slices, ElementsAre(slice(1, 8, 8, 20, false)));
  run_plan(&scheduler, second, {a.get()});
  const StepPlan third = scheduler.schedule();
  EXPECT_THAT(third.slices, ElementsAre(slice(1, 16, 4, 20, true)));
  run_plan(&scheduler, third, {a.get()});
  EXPECT_THAT(scheduler.schedule().slices, ElementsAre(slice(1, 20, 1, 21, true)));
  scheduler.remove(a.get());
  EXPECT_EQ(allocator.usage().free_blocks, 64);
  EXPECT_THAT(scheduler.schedule().slices, IsEmpty());
}

TEST(Scheduler, RunningStreamsGoBeforeALongPrompt) {
  FakeAllocator allocator(64, 4);
  Scheduler scheduler(&allocator, {.token_budget = 8});
  auto a = sequence(1, 3), b = sequence(2, 2), c = sequence(3, 100);
  for (Sequence* s : {a.get(), b.get(), c.get()}) scheduler.add(s);
  const StepPlan first = scheduler.schedule();
  EXPECT_THAT(first.slices, ElementsAre(slice(1, 0, 3, 3, true), slice(2, 0, 2, 2, true), slice(3, 0, 3, 100, false)));
  EXPECT_EQ(first.tokens, 8);
  run_plan(&scheduler, first, {a.get(), b.get(), c.get()});
  EXPECT_THAT(scheduler.schedule().slices,
              ElementsAre(slice(1, 3, 1, 4, true), slice(2, 2, 1, 3, true), slice(3, 3, 6, 100, false)));
}

TEST(Scheduler, StartsNoMoreThanTheSequenceLimit) {
  FakeAllocator allocator(64, 4);
  Scheduler scheduler(&allocator, {.token_budget = 8, .max_sequences = 1});
  auto a = sequence(1, 3), b = sequence(2, 2);
  scheduler.add(a.get());
  scheduler.add(b.get());
  EXPECT_THAT(scheduler.schedule().slices, ElementsAre(slice(1, 0, 3, 3, true)));
  EXPECT_EQ(scheduler.waiting(), 1);
  scheduler.remove(a.get());
  EXPECT_THAT(scheduler.schedule().slices, ElementsAre(slice(2, 0, 2, 2, true)));
}

TEST(Scheduler, PreemptsTheYoungestAndBringsItBackFirst) {
  FakeAllocator allocator(3, 4);
  Scheduler scheduler(&allocator, {.token_budget = 32, .reuse_length = 100});
  auto a = sequence(1, 4), b = sequence(2, 4), c = sequence(3, 4);
  scheduler.add(a.get());
  scheduler.add(b.get());
  StepPlan plan = scheduler.schedule();
  run_plan(&scheduler, plan, {a.get(), b.get()});
  scheduler.add(c.get());
  // Both need a second block, one is left: the older gets it.
  plan = scheduler.schedule();
  EXPECT_THAT(plan.slices, ElementsAre(slice(1, 4, 1, 5, true)));
  EXPECT_THAT(plan.preempted, ElementsAre(2u));
  EXPECT_EQ(b->computed, 0);
  run_plan(&scheduler, plan, {a.get()});
  scheduler.remove(a.get());
  // b comes before c, prompt and generated token are computed again, each with the rope length it had.
  plan = scheduler.schedule();
  EXPECT_THAT(plan.slices, ElementsAre(slice(2, 0, 4, 4, false), slice(3, 0, 4, 4, true)));
  run_plan(&scheduler, plan, {b.get(), c.get()});
  scheduler.remove(c.get());
  EXPECT_THAT(scheduler.schedule().slices, ElementsAre(slice(2, 4, 1, 5, true)));
}

TEST(Scheduler, ALoneSequenceWithoutRoomIsReported) {
  FakeAllocator allocator(1, 4);
  Scheduler scheduler(&allocator, {.token_budget = 32});
  auto a = sequence(1, 4);
  scheduler.add(a.get());
  run_plan(&scheduler, scheduler.schedule(), {a.get()});
  const StepPlan plan = scheduler.schedule();
  EXPECT_THAT(plan.slices, IsEmpty());
  EXPECT_THAT(plan.out_of_room, ElementsAre(1u));
  scheduler.remove(a.get());
  auto b = sequence(2, 9);
  scheduler.add(b.get());
  EXPECT_THAT(scheduler.schedule().out_of_room, ElementsAre(2u));
  EXPECT_EQ(allocator.usage().free_blocks, 1);
}

TEST(Scheduler, ComputesEverythingAgainWhenLongRopeBegins) {
  FakeAllocator allocator(64, 4);
  Scheduler scheduler(&allocator, {.token_budget = 32, .recompute_length = 6, .reuse_length = 6});
  auto a = sequence(1, 5);
  scheduler.add(a.get());
  std::vector<StepPlan> plans;
  for (int i = 0; i < 4; ++i) {
    plans.push_back(scheduler.schedule());
    run_plan(&scheduler, plans.back(), {a.get()});
  }
  EXPECT_THAT(plans[0].slices, ElementsAre(slice(1, 0, 5, 5, true)));
  EXPECT_THAT(plans[1].slices, ElementsAre(slice(1, 5, 1, 6, true)));
  EXPECT_THAT(plans[2].slices, ElementsAre(slice(1, 0, 7, 7, true)));
  EXPECT_THAT(plans[3].slices, ElementsAre(slice(1, 7, 1, 8, true)));
}

TEST(Scheduler, WhereRopeDependsOnLengthGeneratedTokensAreRecomputedOneByOne) {
  FakeAllocator allocator(64, 4);
  Scheduler scheduler(&allocator, {.token_budget = 32, .reuse_length = 4});
  auto a = sequence(1, 4);
  a->ids.insert(a->ids.end(), {7, 7, 7});
  scheduler.add(a.get());
  StepPlan plan = scheduler.schedule();
  EXPECT_THAT(plan.slices, ElementsAre(slice(1, 0, 4, 4, false)));
  run_plan(&scheduler, plan, {a.get()});
  EXPECT_THAT(scheduler.schedule().slices, ElementsAre(slice(1, 4, 1, 5, false)));
}

}  // namespace
}  // namespace tribar::engine
