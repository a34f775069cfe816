#include "runtime/tune_prefetch.h"

#include <gtest/gtest.h>

#include <numeric>

#include "graph/pipeline.h"
#include "kernel/prefetch.h"
#include "runtime/test_runner.h"
#include "runtime/tiny_decoder.h"

namespace tribar::runtime {
namespace {

TEST(TunePrefetch, LeavesSmallModelsAtTheDefault) {
  const graph::Graph g = make_tiny_decoder({});
  const TestWeights source(g, 1);
  TestRunner runner(g, source, {});
  EXPECT_EQ(tune_prefetch(g, *runner.weights, &runner.team), kernel::kDefaultPrefetchBytes);
}

TEST(TunePrefetch, MeasuresALargeOneAndPutsTheSettingBack) {
  graph::Graph g = make_tiny_decoder({.layers = 1,
                                      .hidden = 2048,
                                      .heads = 2,
                                      .kv_heads = 2,
                                      .head_dim = 6,
                                      .ff = 2048,
                                      .vocab = 2048,
                                      .dtype = DType::kF32});  // 67 MB
  const TestWeights source(g, 1);
  for (const Isa isa : kAllIsas) {
    if (!isa_supported(isa)) continue;
    TestRunner runner(g, source, {.isa = isa, .threads = 2});
    kernel::set_prefetch_bytes(1234);
    const int64_t bytes = tune_prefetch(g, *runner.weights, &runner.team);
    EXPECT_TRUE(bytes >= 2048 && bytes <= 8192 && bytes % 2048 == 0) << bytes;
    EXPECT_EQ(kernel::prefetch_bytes(), 1234);
    kernel::set_prefetch_bytes(kernel::kDefaultPrefetchBytes);
  }
}

TEST(TunePrefetch, NoResultDependsOnTheDistance) {
  for (const Isa isa : kAllIsas) {
    if (!isa_supported(isa)) continue;
    graph::Graph g = make_tiny_decoder({.hidden = 256, .head_dim = 64, .ff = 512, .dtype = DType::kQ8_0});
    graph::PipelineOptions options;
    options.quantize_activations = [](const graph::WeightSpec&) { return true; };
    ASSERT_TRUE(graph::optimize(&g, options).ok());
    const TestWeights source(g, 3);
    TestRunner runner(g, source, {.isa = isa, .precision = kernel::Precision::kFast});
    std::vector<int32_t> ids(9);
    std::iota(ids.begin(), ids.end(), 1);
    const std::vector<float> expected = runner.run_sequence(ids, 9);
    for (const int64_t bytes : {0, 512, 1 << 20}) {
      kernel::set_prefetch_bytes(bytes);
      EXPECT_EQ(runner.run_sequence(ids, 1), expected) << bytes;
    }
    kernel::set_prefetch_bytes(kernel::kDefaultPrefetchBytes);
  }
}

}  // namespace
}  // namespace tribar::runtime
