// Values of the graph: what flows along its edges, with symbolic shapes.
//
// An activation is [rows, cols] with rows a symbol: kTokens (T, all tokens of the step), kLogitRows (R, the rows
// whose logits are wanted). A weight is a constant described by a WeightSpec. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/dtype.h"

namespace tribar::graph {

using ValueId = int32_t;
using NodeId = int32_t;
inline constexpr ValueId kNoValue = -1;

enum class RowSymbol : uint8_t { kTokens, kLogitRows, kConstant };

struct Shape {
  RowSymbol rows = RowSymbol::kTokens;
  int64_t constant_rows = 0;  // for kConstant (weights)
  int64_t cols = 0;
  bool operator==(const Shape&) const = default;
};

enum class ValueKind : uint8_t {
  kInput,       // bound each step: token ids, positions, logit rows
  kWeight,      // constant
  kActivation,  // made by a node
};

// Rows [row_begin, row_begin + row_count) of a tensor in the file.
struct WeightPiece {
  std::string tensor;
  int64_t row_begin = 0;
  int64_t row_count = 0;
};

enum class WeightRole : uint8_t {
  kMatrix,     // read by linear
  kEmbedding,  // rows read by embed
  kVector,     // norm weights, biases, sinks, frequency factors: unpacked to F32
};

// A weight: the pieces of file tensors whose rows, joined in order, make it. All pieces have the same dtype and cols.
// A vector has rows 1 and its pieces are cut along the only dimension (row_begin and row_count count elements).
struct WeightSpec {
  std::string name;  // for people: "layer.0.attn.q"
  WeightRole role = WeightRole::kMatrix;
  std::vector<WeightPiece> pieces;
  DType dtype = DType::kF32;
  int64_t rows = 0;
  int64_t cols = 0;
};

struct Value {
  std::string name;  // "layer.0.attn" where the model gave one, else empty
  ValueKind kind = ValueKind::kActivation;
  DType dtype = DType::kF32;
  Shape shape;
  NodeId producer = -1;  // for kActivation
  int32_t weight = -1;   // index into Graph::weights for kWeight
};

}  // namespace tribar::graph
