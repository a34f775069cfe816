#include "runtime/weight_slices.h"

#include <gtest/gtest.h>

#include <string>

#include "graph/builder.h"
#include "kernel/kernel_test_data.h"
#include "runtime/test_weights.h"

namespace tribar::runtime {
namespace {

using graph::WeightRole;

// A matrix of three pieces whose borders are no panel borders.
graph::Graph fused_graph(DType dtype) {
  graph::Graph g;
  graph::Builder b(&g);
  const auto x = b.embed(b.weight({"embd", WeightRole::kEmbedding, {{"embd", 0, 10}}, dtype, 10, 64}), 1.0f);
  const auto w = b.weight({"w", WeightRole::kMatrix, {{"q", 2, 40}, {"k", 0, 3}, {"v", 1, 30}}, dtype, 73, 64});
  b.set_logits(b.gather_logit_rows(b.linear(x, w)));
  return g;
}

TEST(WeightSlices, AreWholePanelsThatCoverEveryRowOnce) {
  const graph::Graph g = fused_graph(DType::kQ8_0);
  const TestWeights source(g, 1);
  for (Isa isa : kernel::tested_isas()) {
    const WeightPlan plan = *plan_weights(g, source.options(isa));
    const PlannedWeight& w = plan.weights[1];
    const int64_t grain = w.packs() ? w.kernel->panel_rows : 1;
    for (const int64_t slice_bytes : {0, 68 * 20, 1 << 20}) {
      int64_t row = 0;
      for (const WeightSlice& slice : slice_weights(plan, slice_bytes)) {
        ASSERT_EQ(slice.weight, 1u) << "the embedding stays in the file";
        EXPECT_EQ(slice.rows.begin, row);
        EXPECT_EQ(slice.rows.begin % grain, 0);
        EXPECT_GT(slice.rows.end, slice.rows.begin);
        row = slice.rows.end;
      }
      EXPECT_EQ(row, 73);
    }
  }
}

TEST(WeightSlices, SourceBytesComeInTheOrderOfThePieces) {
  const graph::Graph g = fused_graph(DType::kQ8_0);
  const TestWeights source(g, 1);
  const WeightPlan plan = *plan_weights(g, source.options(Isa::kReference));
  const PlannedWeight& w = plan.weights[1];
  ASSERT_EQ(source_row_bytes(w), 68);
  std::vector<std::pair<const std::byte*, size_t>> parts;
  for_each_source(w, {38, 45}, [&](std::span<const std::byte> s) { parts.emplace_back(s.data(), s.size()); });
  const std::vector<std::pair<const std::byte*, size_t>> expected = {
      {w.pieces[0].data() + 38 * 68, 2 * 68}, {w.pieces[1].data(), 3 * 68}, {w.pieces[2].data(), 2 * 68}};
  EXPECT_EQ(parts, expected);
}

// However the work is cut, the packed form is that of one piece packed at once.
TEST(WeightSlices, PackedFormDoesNotDependOnThePiecesOrTheTeam) {
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kQ8_0}) {
    const graph::Graph g = fused_graph(dtype);
    const TestWeights source(g, 1);
    for (Isa isa : kernel::tested_isas()) {
      const WeightPlan plan = *plan_weights(g, source.options(isa));
      const PlannedWeight& w = plan.weights[1];
      if (!w.packs()) continue;
      std::vector<std::byte> joined;
      for (const auto& piece : w.pieces) joined.insert(joined.end(), piece.begin(), piece.end());
      const kernel::TestWeight whole{joined, {joined.data(), dtype, 73, 64}};
      const kernel::PreparedWeight expected(*w.kernel, whole);
      for (const int threads : {1, 3}) {
        ThreadTeam team(threads);
        const auto store = WeightStore::load(g, source.options(isa), &team);
        ASSERT_TRUE(store.ok()) << store.status().message();
        const auto bytes = static_cast<size_t>(w.kernel->packed_bytes(73, 64));
        EXPECT_EQ(std::memcmp((*store)->matrix(1).view.data, expected.view().data, bytes), 0) << w.kernel->name;
      }
    }
  }
}

}  // namespace
}  // namespace tribar::runtime
