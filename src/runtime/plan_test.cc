#include "runtime/plan.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "base/aligned_buffer.h"
#include "graph/pipeline.h"
#include "runtime/hazards.h"
#include "runtime/test_runner.h"
#include "runtime/tiny_decoder.h"

namespace {
// Every allocation of this process, whoever makes it: the members of the team too.
std::atomic<int64_t> allocations{0};

void* counted(size_t bytes, size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
}  // namespace

void* operator new(size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new(size_t bytes, std::align_val_t alignment) { return counted(bytes, static_cast<size_t>(alignment)); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes);
}
void* operator new(size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const auto unit = static_cast<size_t>(alignment);
  return std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }

namespace tribar::runtime {
namespace {

TEST(Plan, ADecodeStepAllocatesNothing) {
  for (const int threads : {1, 2}) {
    const graph::Graph g = make_tiny_decoder({});
    const TestWeights weights(g, 2);
    TestRunner runner(g, weights, {.threads = threads});
    BlockTable table;
    ASSERT_TRUE(runner.allocator->grow(&table, 40).ok());
    const std::vector<int32_t> prompt(20, 3);
    const std::vector<int32_t> rows = {0};
    const SequenceSlice first{0, 20, table.blocks, 20};
    ASSERT_TRUE(runner.executor->run({prompt, {&first, 1}, rows}).ok());

    const auto decode = [&] {
      for (int64_t position = 20; position < 40; ++position) {
        const auto id = static_cast<int32_t>(position);
        const SequenceSlice slice{position, 1, table.blocks, 0};
        ASSERT_TRUE(runner.executor->run({{&id, 1}, {&slice, 1}, rows}).ok());
      }
    };
    decode();  // the scratch of the kernels grows to its size
    const int64_t before = allocations.load();
    decode();
    EXPECT_EQ(allocations.load() - before, 0) << threads << " threads";
  }
}

TEST(Plan, BarriersStandOnlyBetweenStepsThatDependOnEachOther) {
  graph::Graph g = make_tiny_decoder({.layers = 1});
  ASSERT_TRUE(graph::optimize(&g, {}).ok());
  const TestWeights source(g, 2);
  ThreadTeam team(1);
  const auto weights = TestRunner::take(WeightStore::load(g, source.options(Isa::kReference), &team));
  const auto cache = TestRunner::take(KvCache::create(g.kv_layers, {DType::kF32, 8, 4}));
  const StepBuffers buffers({8, 8, 50, 8, 4});
  const LowerContext context{&g, &kernel::kernel_table(Isa::kReference), weights.get(), cache.get(), &buffers};
  const auto arena_bytes = static_cast<size_t>(graph::plan_memory(g, {8, 8}).planned_bytes);
  const auto arena = TestRunner::take(AlignedBuffer::allocate(arena_bytes));
  const Plan plan(context, {8, 8}, arena.data());
  // embed table | norm | q k v | rope rope | append | attention | o | add | norm | gate up | glu | down | add |
  // gather | norm | head
  EXPECT_EQ(plan.steps(), 21u);
  EXPECT_EQ(plan.barriers(), 15u);
}

TEST(HazardTracker, FindsTheThreeKindsOfDependence) {
  HazardTracker tracker;
  tracker.add({{0, 10}}, {{20, 30}});
  EXPECT_FALSE(tracker.conflicts({{0, 10}}, {{10, 20}, {30, 40}})) << "both only read";
  EXPECT_TRUE(tracker.conflicts({{29, 35}}, {})) << "read after write";
  EXPECT_TRUE(tracker.conflicts({}, {{9, 12}})) << "write after read";
  EXPECT_TRUE(tracker.conflicts({}, {{25, 26}})) << "write after write";
  tracker.clear();
  EXPECT_FALSE(tracker.conflicts({{20, 30}}, {{0, 10}}));
}

}  // namespace
}  // namespace tribar::runtime
