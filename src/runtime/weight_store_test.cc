#include "runtime/weight_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

#include "graph/builder.h"
#include "runtime/test_weights.h"

namespace tribar::runtime {
namespace {

using graph::Builder;
using graph::Graph;
using graph::WeightRole;

// A fused matrix of two pieces, a vector of two pieces, an embedding, a bias.
Graph sample_graph(DType dtype = DType::kF32) {
  Graph g;
  Builder b(&g);
  const auto x = b.embed(b.weight({"embd", WeightRole::kEmbedding, {{"embd", 0, 10}}, dtype, 10, 32}), 1.0f);
  const auto fused = b.weight({"qk", WeightRole::kMatrix, {{"q", 2, 4}, {"k", 0, 3}}, dtype, 7, 32});
  const auto bias = b.weight({"bias", WeightRole::kVector, {{"qb", 1, 4}, {"kb", 0, 3}}, DType::kF16, 1, 7});
  b.set_logits(b.gather_logit_rows(b.linear(x, fused, bias)));
  return g;
}

std::vector<float> decode(const kernel::WeightView& view) {
  std::vector<float> out(static_cast<size_t>(view.rows * view.cols));
  const int64_t stride = *row_bytes(view.dtype, view.cols);
  for (int64_t r = 0; r < view.rows; ++r) {
    quant::dequantize_row(view.dtype, view.data + r * stride, out.data() + r * view.cols, view.cols);
  }
  return out;
}

TEST(WeightStore, JoinsPiecesAndConvertsVectors) {
  const Graph g = sample_graph();
  TestWeights source(g, 1);
  ThreadTeam team(3);
  const auto store = WeightStore::load(g, source.options(Isa::kReference), &team);
  ASSERT_TRUE(store.ok()) << store.status().message();

  const std::vector<float> fused = decode((*store)->matrix(1).view);
  std::vector<float> expected(source.values("q").begin() + 2 * 32, source.values("q").end());
  expected.insert(expected.end(), source.values("k").begin(), source.values("k").end());
  EXPECT_EQ(fused, expected);
  ASSERT_NE((*store)->matrix(1).kernel, nullptr);

  EXPECT_EQ((*store)->matrix(0).kernel, nullptr);
  EXPECT_EQ(decode((*store)->matrix(0).view), source.values("embd"));

  const std::span<const float> bias = (*store)->vector(2);
  ASSERT_EQ(bias.size(), 7u);
  EXPECT_NEAR(bias[0], source.values("qb")[1], 1e-3);
  EXPECT_NEAR(bias[4], source.values("kb")[0], 1e-3);
}

TEST(WeightStore, LeavesAlignedUnpackedWeightsInTheFile) {
  Graph g = sample_graph();
  TestWeights source(g, 1);
  ThreadTeam team(1);
  const auto file = [&] { return source.options(Isa::kReference).source("embd")->bytes.data(); };
  auto store = WeightStore::load(g, source.options(Isa::kReference), &team);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ((*store)->matrix(0).view.data, file());

  source.misalign("embd");
  store = WeightStore::load(g, source.options(Isa::kReference), &team);
  ASSERT_TRUE(store.ok());
  EXPECT_NE((*store)->matrix(0).view.data, file());
  EXPECT_EQ(reinterpret_cast<uintptr_t>((*store)->matrix(0).view.data) % 64, 0u);
  EXPECT_EQ(decode((*store)->matrix(0).view), source.values("embd"));
}

// A table that is the output matrix as well: one copy, in panels, from which its rows come to the bit.
TEST(WeightStore, StoresTiedTablesOnce) {
  for (const DType dtype : {DType::kF16, DType::kQ8_0, DType::kQ4_0}) {
    Graph g;
    Builder b(&g);
    const auto x = b.embed(b.weight({"embd", WeightRole::kEmbedding, {{"embd", 0, 21}}, dtype, 21, 64}), 1.0f);
    const auto head = b.weight({"head", WeightRole::kMatrix, {{"embd", 0, 21}}, dtype, 21, 64});
    b.set_logits(b.linear(b.gather_logit_rows(x), head));
    const TestWeights source(g, 1);
    for (const Isa isa : kAllIsas) {
      if (!isa_supported(isa)) continue;
      ThreadTeam team(2);
      const auto store = WeightStore::load(g, source.options(isa), &team);
      ASSERT_TRUE(store.ok());
      const WeightStore::Matrix& table = (*store)->matrix(0);
      const WeightStore::Matrix& matrix = (*store)->matrix(1);
      EXPECT_EQ(table.view.data, matrix.view.data) << isa_name(isa);
      if (table.kernel == nullptr) continue;  // the file's rows serve both
      EXPECT_LT((*store)->packed_bytes(), static_cast<uint64_t>(table.kernel->packed_bytes(21, 64)) + 64);
      const kernel::WeightView file{source.options(isa).source("embd")->bytes.data(), dtype, 21, 64};
      const std::vector<float> expected = decode(file);
      std::vector<float> row(64);
      for (int64_t r = 0; r < 21; ++r) {
        table.kernel->unpack_row(table.view, r, row.data());
        EXPECT_TRUE(std::equal(row.begin(), row.end(), expected.begin() + r * 64)) << isa_name(isa) << " row " << r;
      }
    }
  }
}

TEST(WeightStore, TellsWhatIsWrongWithATensor) {
  const auto load = [](auto&& damage) {
    Graph g = sample_graph();
    TestWeights source(g, 1);
    WeightStoreOptions options = source.options(Isa::kReference);
    damage(g, source, options);
    ThreadTeam team(1);
    return WeightStore::load(g, options, &team).status();
  };
  const auto none = [](Graph&, TestWeights&, WeightStoreOptions&) {};
  EXPECT_TRUE(load(none).ok());
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    const Status status = load([&](Graph&, TestWeights& s, WeightStoreOptions&) {
      s.values("kb")[2] = bad;
      s.encode("kb");
    });
    EXPECT_EQ(status.code(), StatusCode::kDataLoss);
    EXPECT_NE(status.message().find("kb"), std::string::npos);
  }
  EXPECT_EQ(load([](Graph&, TestWeights& s, WeightStoreOptions&) { s.erase("q"); }).code(), StatusCode::kDataLoss);
  EXPECT_EQ(load([](Graph& g, TestWeights&, WeightStoreOptions&) { g.weights[1].pieces[0].row_begin = 3; }).code(),
            StatusCode::kDataLoss);
  EXPECT_EQ(load([](Graph& g, TestWeights&, WeightStoreOptions&) { g.weights[1].cols = 31; }).code(),
            StatusCode::kDataLoss);
  EXPECT_EQ(load([](Graph& g, TestWeights&, WeightStoreOptions&) { g.weights[0].dtype = DType::kF16; }).code(),
            StatusCode::kDataLoss);
  EXPECT_EQ(load([](Graph&, TestWeights&, WeightStoreOptions& o) { o.progress = [](double) { return false; }; }).code(),
            StatusCode::kCancelled);
}

TEST(WeightStore, ReportsProgressAndDropsWhatItCopied) {
  const Graph g = sample_graph();
  const TestWeights source(g, 1);
  WeightStoreOptions options = source.options(Isa::kReference);
  std::vector<double> progress;
  std::atomic<size_t> dropped_bytes = 0;
  options.progress = [&](double fraction) {
    progress.push_back(fraction);
    return true;
  };
  options.drop_pages = [&](std::span<const std::byte> bytes) { dropped_bytes += bytes.size(); };
  ThreadTeam team(2);
  const auto store = WeightStore::load(g, options, &team);
  ASSERT_TRUE(store.ok());
  ASSERT_FALSE(progress.empty());
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
  EXPECT_EQ(progress.back(), 1.0);
  EXPECT_EQ(dropped_bytes, 7u * 32 * 4 + 7u * 2) << "both pieces of the fused matrix and the bias, not the embedding";
  EXPECT_LE((*store)->packed_bytes(), *WeightStore::needed_bytes(g, options));
}

}  // namespace
}  // namespace tribar::runtime
