#include "graph/memory_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "graph/builder.h"
#include "graph/random_graph.h"

namespace tribar::graph {
namespace {

constexpr MemoryPlanParams kParams{.max_tokens = 5, .max_logit_rows = 2};

int64_t bytes_of(const Value& v) {
  const int64_t rows = v.shape.rows == RowSymbol::kTokens ? kParams.max_tokens : kParams.max_logit_rows;
  return rows * row_stride_bytes(v.dtype, v.shape.cols);
}

// Plays the graph over a map of who owns each 64-byte line, knowing nothing of liveness: every read must find the
// value that was written there last. Returns the first violation.
std::string play(const Graph& graph, const MemoryPlan& plan) {
  std::vector<ValueId> owner(static_cast<size_t>(plan.planned_bytes / kArenaAlignment), kNoValue);
  const auto lines = [&](ValueId id) {
    const int64_t begin = plan.offset_bytes[static_cast<size_t>(id)] / kArenaAlignment;
    return std::pair{begin, begin + bytes_of(graph.value(id)) / kArenaAlignment};
  };
  const auto holds = [&](ValueId id) {
    const auto [begin, end] = lines(id);
    for (int64_t l = begin; l < end; ++l) {
      if (owner[static_cast<size_t>(l)] != id) return false;
    }
    return true;
  };
  for (const Node& node : graph.nodes) {
    for (const ValueId id : node.inputs) {
      if (id == kNoValue || graph.value(id).kind != ValueKind::kActivation) continue;
      if (!holds(id)) return "%" + std::to_string(id) + " was overwritten before " + std::string(op_name(node.op));
    }
    for (const ValueId out : node.outputs) {
      const auto [begin, end] = lines(out);
      for (int64_t l = begin; l < end; ++l) {
        // Written while an input is read: only the very same place is allowed, and only for ops that say so.
        for (size_t i = 0; i < node.inputs.size(); ++i) {
          const ValueId in = node.inputs[i];
          if (in == kNoValue || owner[static_cast<size_t>(l)] != in) continue;
          const bool same_place = lines(in) == std::pair{begin, end};
          if (!same_place || (op_info(node.op).in_place >> i & 1) == 0)
            return "bad overlap in " + std::string(op_name(node.op));
        }
        owner[static_cast<size_t>(l)] = out;
      }
    }
  }
  return holds(graph.logits) ? "" : "the logits were overwritten";
}

TEST(MemoryPlan, RandomGraphsNeverOverlapLiveValues) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    const Graph graph = make_random_graph({.seed = seed, .nodes = 5 + static_cast<int>(seed % 60)});
    const MemoryPlan plan = plan_memory(graph, kParams);
    ASSERT_EQ(play(graph, plan), "") << "seed " << seed;
    EXPECT_LE(plan.lower_bound_bytes, plan.planned_bytes) << seed;
    EXPECT_LE(plan.planned_bytes, plan.no_reuse_bytes) << seed;
    for (const int64_t offset : plan.offset_bytes) EXPECT_TRUE(offset == -1 || offset % kArenaAlignment == 0);
  }
}

TEST(MemoryPlan, AChainOfElementwiseNodesLivesInOnePlace) {
  Graph g;
  Builder b(&g);
  ValueId x = b.embed(b.weight({"e", WeightRole::kEmbedding, {{"e", 0, 4}}, DType::kF32, 4, 16}), 1.0f);
  for (int i = 0; i < 10; ++i) x = b.scale(x, 2.0f);
  b.set_logits(b.gather_logit_rows(x));
  const MemoryPlan plan = plan_memory(g, kParams);
  EXPECT_EQ(plan.planned_bytes, (5 + 2) * 64);
  EXPECT_EQ(plan.lower_bound_bytes, plan.planned_bytes);
  EXPECT_EQ(plan.no_reuse_bytes, (11 * 5 + 2) * 64);
}

TEST(MemoryPlan, AValueThatIsReadLaterIsNotOverwritten) {
  Graph g;
  Builder b(&g);
  const ValueId x = b.embed(b.weight({"e", WeightRole::kEmbedding, {{"e", 0, 4}}, DType::kF32, 4, 16}), 1.0f);
  const ValueId y = b.scale(x, 2.0f);
  const ValueId z = b.add(x, y);  // takes over x or y, both die here
  b.set_logits(b.gather_logit_rows(z));
  const MemoryPlan plan = plan_memory(g, kParams);
  const auto offset = [&](ValueId v) { return plan.offset_bytes[static_cast<size_t>(v)]; };
  EXPECT_NE(offset(x), offset(y));
  EXPECT_EQ(offset(z), offset(x));
}

TEST(MemoryPlan, GreedyPlacementFillsGaps) {
  // A large buffer first and last, two small ones that fit where the large one is not alive.
  const std::vector<BufferRequest> requests = {{1024, 0, 1}, {512, 2, 4}, {512, 3, 5}, {1024, 6, 7}};
  EXPECT_EQ(place_greedy_by_size(requests), (std::vector<int64_t>{0, 0, 512, 0}));
}

TEST(MemoryPlan, RowsStartOnCacheLines) {
  EXPECT_EQ(row_stride_bytes(DType::kF32, 16), 64);
  EXPECT_EQ(row_stride_bytes(DType::kF32, 17), 128);
  EXPECT_EQ(row_stride_bytes(DType::kQ8Act, 64) % 64, 0);
}

}  // namespace
}  // namespace tribar::graph
