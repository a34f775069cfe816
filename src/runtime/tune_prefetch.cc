#include "runtime/tune_prefetch.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/stopwatch.h"
#include "kernel/prefetch.h"
#include "runtime/linear_work.h"
#include "tensor/act_q8.h"

namespace tribar::runtime {
namespace {

constexpr std::array<int64_t, 4> kDistances = {kernel::kDefaultPrefetchBytes, 4096, 6144, 8192};
constexpr int kRounds = 3;
constexpr int64_t kMeasuredBytes = int64_t{128} << 20;
// Less than this stays in a large last-level cache from one round to the next.
constexpr int64_t kFewestBytes = int64_t{64} << 20;
// What another distance must save, so that noise does not choose.
constexpr double kClearlyLess = 0.98;

// Linear layers of one token over part of a model.
class StreamPass {
 public:
  StreamPass(const graph::Graph& graph, const WeightStore& weights) {
    for (const graph::Node& node : graph.nodes) {
      if (node.op != graph::OpKind::kLinear || bytes_ >= kMeasuredBytes) continue;
      const WeightStore::Matrix& matrix = weights.matrix(graph.value(node.inputs[1]).weight);
      if (matrix.kernel == nullptr || matrix.kernel->panel_rows == 0) continue;
      layers_.push_back(&matrix);
      bytes_ += stored_bytes(matrix);
      most_cols_ = std::max(most_cols_, matrix.view.cols);
      most_rows_ = std::max(most_rows_, matrix.view.rows);
    }
  }

  int64_t bytes() const { return bytes_; }

  bool allocate() {
    const auto x_bytes = std::max(act_q8::row_stride_bytes(most_cols_), most_cols_ * int64_t{sizeof(float)});
    Result<AlignedBuffer> x = AlignedBuffer::allocate(static_cast<size_t>(x_bytes));
    Result<AlignedBuffer> y = AlignedBuffer::allocate(static_cast<size_t>(most_rows_) * sizeof(float));
    if (!x.ok() || !y.ok()) return false;
    x_ = std::move(*x);
    y_ = std::move(*y);
    std::memset(x_.data(), 0, static_cast<size_t>(x_bytes));  // a row of zeros in both forms
    return true;
  }

  double run_us(ThreadTeam* team, int64_t distance) {
    kernel::set_prefetch_bytes(distance);
    const Stopwatch watch;
    team->run([&](Shard shard) {
      for (const WeightStore::Matrix* layer : layers_) {
        layer->kernel->run(args_of(*layer), shard);
        team->barrier();
      }
    });
    return watch.elapsed_us();
  }

 private:
  kernel::LinearArgs args_of(const WeightStore::Matrix& layer) {
    const kernel::WeightView& w = layer.view;
    const DType type = layer.kernel->activation;
    const int64_t stride =
        type == DType::kQ8Act ? act_q8::row_stride_bytes(w.cols) : w.cols * static_cast<int64_t>(sizeof(float));
    return {{x_.data(), type, 1, w.cols, stride},
            w,
            nullptr,
            {y_.data(), DType::kF32, 1, w.rows, w.rows * static_cast<int64_t>(sizeof(float))}};
  }

  std::vector<const WeightStore::Matrix*> layers_;
  int64_t bytes_ = 0, most_cols_ = 0, most_rows_ = 0;
  AlignedBuffer x_, y_;
};

}  // namespace

int64_t tune_prefetch(const graph::Graph& graph, const WeightStore& weights, ThreadTeam* team) {
  StreamPass pass(graph, weights);
  if (pass.bytes() < kFewestBytes || !pass.allocate()) return kernel::kDefaultPrefetchBytes;
  const int64_t before = kernel::prefetch_bytes();
  std::array<double, kDistances.size()> best;
  best.fill(std::numeric_limits<double>::infinity());
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < kDistances.size(); ++i) best[i] = std::min(best[i], pass.run_us(team, kDistances[i]));
  }
  kernel::set_prefetch_bytes(before);
  const auto fastest = static_cast<size_t>(std::min_element(best.begin(), best.end()) - best.begin());
  return best[fastest] < kClearlyLess * best[0] ? kDistances[fastest] : kDistances[0];
}

}  // namespace tribar::runtime
