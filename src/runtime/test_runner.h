// Runs a graph on token sequences for tests: weights, cache and executor in one, sequences fed in chunks.
//
//   TestRunner runner(graph, weights, {.mode = ExecutionMode::kEager});
//   std::vector<float> logits = runner.run_sequence(ids, /*chunk=*/7);   // all positions, [ids, vocab]
//
// Threads: one caller.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "runtime/executor.h"
#include "runtime/kv/kv_allocator.h"
#include "runtime/test_weights.h"

namespace tribar::runtime {

struct TestRunnerOptions {
  ExecutionMode mode = ExecutionMode::kPlanned;
  Isa isa = Isa::kReference;
  kernel::Precision precision = kernel::Precision::kExact;
  int threads = 1;
  int64_t max_tokens = 64;
  DType kv_dtype = DType::kF32;
  int64_t block_tokens = 8;
  int64_t blocks = 32;
};

class TestRunner {
 public:
  TestRunner(const graph::Graph& graph, const TestWeights& source, const TestRunnerOptions& o)
      : team(o.threads),
        weights(take(WeightStore::load(graph, source.options(o.isa, o.precision), &team))),
        cache(take(KvCache::create(graph.kv_layers, {o.kv_dtype, o.block_tokens, o.blocks}))),
        allocator(make_block_pool(o.blocks, o.block_tokens)),
        executor(take(
            Executor::create(graph, weights.get(), cache.get(), &team, {o.isa, o.mode, o.max_tokens, o.max_tokens}))) {}

  std::vector<float> run_sequence(std::span<const int32_t> ids, int64_t chunk) {
    BlockTable table;
    check(allocator->grow(&table, static_cast<int64_t>(ids.size())));
    std::vector<float> out;
    for (size_t begin = 0; begin < ids.size(); begin += static_cast<size_t>(chunk)) {
      const auto count = std::min(static_cast<size_t>(chunk), ids.size() - begin);
      std::vector<int32_t> rows(count);
      for (size_t i = 0; i < count; ++i) rows[i] = static_cast<int32_t>(i);
      const SequenceSlice slice{static_cast<int64_t>(begin), static_cast<int64_t>(count), table.blocks,
                                static_cast<int64_t>(ids.size())};
      const Logits logits = take(executor->run({ids.subspan(begin, count), {&slice, 1}, rows}));
      for (size_t i = 0; i < count; ++i) {
        const std::span<const float> row = logits.row(static_cast<int64_t>(i));
        out.insert(out.end(), row.begin(), row.end());
      }
    }
    allocator->release(&table);
    return out;
  }

  template <typename T>
  static T take(Result<T> result) {
    check(result.status());
    return std::move(*result);
  }
  static void check(const Status& status) {
    if (!status.ok()) throw std::runtime_error(status.message());
  }

  ThreadTeam team;
  std::unique_ptr<WeightStore> weights;
  std::unique_ptr<KvCache> cache;
  std::unique_ptr<KvAllocator> allocator;
  std::unique_ptr<Executor> executor;
};

}  // namespace tribar::runtime
