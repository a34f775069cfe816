#include "graph/random_graph.h"

#include <random>
#include <string>
#include <vector>

#include "graph/builder.h"

namespace tribar::graph {
namespace {

constexpr int64_t kVocab = 11;
constexpr int64_t kHeads = 3;
constexpr int64_t kHeadDim = 6;

class Generator {
 public:
  Generator(Graph* graph, const RandomGraphParams& params) : params_(params), random_(params.seed), b_(graph) {}

  void run() {
    keep(b_.embed(b_.weight(matrix(kVocab, kHeads * kHeadDim, WeightRole::kEmbedding)), 1.5f));
    table_ = b_.rope_table({.inv_freq = {1.0f, 0.25f}});
    for (int i = 0; i < params_.nodes; ++i) keep(step());
    const ValueId rows = b_.gather_logit_rows(pick());
    b_.set_logits(b_.linear(rows, b_.weight(matrix(kVocab, cols(rows)))));
  }

 private:
  int64_t roll(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  int64_t cols(ValueId v) const { return b_.graph().value(v).shape.cols; }
  void keep(ValueId v) { values_.push_back(v); }
  ValueId pick() { return values_[static_cast<size_t>(roll(static_cast<int64_t>(values_.size())))]; }

  WeightSpec matrix(int64_t rows, int64_t cols, WeightRole role = WeightRole::kMatrix) {
    const std::string name = "w" + std::to_string(weights_++);
    return {name, role, {{name, 0, rows}}, DType::kF32, rows, cols};
  }
  ValueId vector(int64_t size) {
    const std::string name = "w" + std::to_string(weights_++);
    return b_.weight({name, WeightRole::kVector, {{name, 0, size}}, DType::kF32, 1, size});
  }
  // Another value of the same width, else the value itself.
  ValueId partner(ValueId x) {
    for (int tries = 0; tries < 4; ++tries) {
      const ValueId y = pick();
      if (cols(y) == cols(x)) return y;
    }
    return x;
  }

  ValueId step() {
    const ValueId x = pick();
    switch (roll(params_.attention ? 11 : 9)) {
      case 0: return b_.linear(x, b_.weight(matrix(1 + roll(40), cols(x))));
      case 1: {
        const int64_t rows = 1 + roll(40);
        return b_.linear(x, b_.weight(matrix(rows, cols(x))), vector(rows));
      }
      case 2: return b_.rms_norm(x, vector(cols(x)), {.eps = 1e-5f});
      case 3: return b_.layer_norm(x, vector(cols(x)), roll(2) ? vector(cols(x)) : kNoValue, 1e-5f);
      case 4: return b_.add(x, partner(x), 0.5f);
      case 5: return b_.glu(x, partner(x), Activation::kSilu);
      case 6: return roll(2) ? b_.scale(x, 0.75f) : b_.softcap(x, 5.0f);
      case 7: return b_.activate(x, static_cast<Activation>(roll(5)));
      case 8: return b_.rope(project(x, kHeads), table_, {.heads = kHeads, .head_dim = kHeadDim});
      default: return attend(x);
    }
  }
  ValueId project(ValueId x, int64_t heads) { return b_.linear(x, b_.weight(matrix(heads * kHeadDim, cols(x)))); }
  ValueId attend(ValueId x) {
    const int32_t layer = b_.kv_layer({.kv_heads = 1, .k_dim = kHeadDim, .v_dim = kHeadDim, .window = 0});
    const ValueId k = b_.rope(project(x, 1), table_, {.heads = 1, .head_dim = kHeadDim});
    b_.kv_append(k, project(x, 1), layer);
    return b_.attention(project(x, kHeads), {.layer = layer, .heads = kHeads, .scale = 0.4f, .window = roll(2) * 5});
  }

  RandomGraphParams params_;
  std::mt19937 random_;
  Builder b_;
  ValueId table_ = kNoValue;
  std::vector<ValueId> values_;
  int weights_ = 0;
};

}  // namespace

Graph make_random_graph(const RandomGraphParams& params) {
  Graph graph;
  Generator(&graph, params).run();
  return graph;
}

}  // namespace tribar::graph
