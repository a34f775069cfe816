// Weights for tests: random F32 (or any type that quant::quantize_row writes) tensors for every piece that a graph
// names.
//
//   TestWeights source(graph, /*seed=*/1);
//   WeightStoreOptions options = source.options(Isa::kReference);
//
// Threads: immutable after construction.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "runtime/weight_store.h"
#include "tensor/quant/quant.h"

namespace tribar::runtime {

class TestWeights {
 public:
  TestWeights(const graph::Graph& graph, uint32_t seed) {
    for (const graph::WeightSpec& spec : graph.weights) {
      const bool vector = spec.role == graph::WeightRole::kVector;
      for (const graph::WeightPiece& piece : spec.pieces) {
        Tensor& t = tensors_[piece.tensor];
        if (!t.values.empty()) continue;
        t.dtype = spec.dtype;
        t.rows = vector ? 1 : piece.row_begin + piece.row_count;
        t.cols = vector ? piece.row_begin + piece.row_count : spec.cols;
        std::mt19937 random(seed + static_cast<uint32_t>(tensors_.size()));
        // Sums over the columns stay near one.
        std::normal_distribution<float> normal(vector ? 1.0f : 0.0f,
                                               vector ? 0.2f : 1.0f / std::sqrt(float(spec.cols)));
        t.values.resize(static_cast<size_t>(t.rows * t.cols));
        for (float& x : t.values) x = normal(random);
        encode(&t);
      }
    }
  }

  // The values as they were drawn (before rounding to the tensor's type).
  std::vector<float>& values(const std::string& tensor) { return tensors_.at(tensor).values; }
  // Call after changing values.
  void encode(const std::string& tensor) { encode(&tensors_.at(tensor)); }
  void erase(const std::string& tensor) { tensors_.erase(tensor); }

  WeightStoreOptions options(Isa isa, kernel::Precision precision = kernel::Precision::kExact) const {
    WeightStoreOptions o;
    o.isa = isa;
    o.precision = precision;
    o.source = [this](const std::string& name) -> std::optional<SourceTensor> {
      const auto it = tensors_.find(name);
      if (it == tensors_.end()) return std::nullopt;
      const Tensor& t = it->second;
      return SourceTensor{std::span(t.bytes).subspan(t.shift), t.dtype, t.rows, t.cols};
    };
    return o;
  }
  // From now on the tensor lies at an odd address, as files allow.
  void misalign(const std::string& tensor) {
    Tensor& t = tensors_.at(tensor);
    t.bytes.insert(t.bytes.begin(), std::byte{0});
    t.shift = 1;
  }

 private:
  struct Tensor {
    std::vector<float> values;
    std::vector<std::byte> bytes;
    size_t shift = 0;
    DType dtype = DType::kF32;
    int64_t rows = 0;
    int64_t cols = 0;
  };
  static void encode(Tensor* t) {
    const int64_t stride = *row_bytes(t->dtype, t->cols);
    t->bytes.resize(static_cast<size_t>(t->rows * stride));
    for (int64_t r = 0; r < t->rows; ++r) {
      quant::quantize_row(t->dtype, t->values.data() + r * t->cols, t->bytes.data() + r * stride, t->cols);
    }
  }
  std::map<std::string, Tensor> tensors_;
};

}  // namespace tribar::runtime
