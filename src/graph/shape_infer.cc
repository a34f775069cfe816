#include "graph/shape_infer.h"

#include "tensor/act_q8.h"

#include <string>
#include <utility>

namespace tribar::graph {
namespace {

using Types = std::vector<ValueType>;

// The inputs of one node, with the checks that operators share. The first failure is kept; later ones do not matter.
class Inputs {
 public:
  Inputs(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  void require(bool condition, const char* what) {
    if (!condition && status_.ok()) status_ = internal_error(std::string(op_name(node_.op)) + ": " + what);
  }
  void count(size_t least, size_t most) {
    require(node_.inputs.size() >= least && node_.inputs.size() <= most, "wrong number of inputs");
  }
  bool has(size_t i) const { return i < node_.inputs.size() && node_.inputs[i] != kNoValue; }

  const Value& at(size_t i) {
    static const Value kAbsent;
    require(has(i), "an input is absent");
    return has(i) ? graph_.value(node_.inputs[i]) : kAbsent;
  }
  const Value& activation(size_t i) {
    const Value& v = at(i);
    require(v.kind == ValueKind::kActivation && v.dtype == DType::kF32, "an input is no F32 activation");
    return v;
  }
  void step_input(size_t i, RowSymbol rows) {
    const Value& v = at(i);
    require(v.kind == ValueKind::kInput && v.dtype == DType::kI32 && v.shape.rows == rows, "wrong step input");
  }
  const Value& weight(size_t i, WeightRole role) {
    const Value& v = at(i);
    const bool is_weight = v.kind == ValueKind::kWeight;
    require(is_weight, "an input is no weight");
    if (is_weight) require(graph_.weights[static_cast<size_t>(v.weight)].role == role, "a weight has the wrong role");
    return v;
  }
  void vector(size_t i, int64_t size) {
    require(weight(i, WeightRole::kVector).shape.cols == size, "wrong vector size");
  }
  void optional_vector(size_t i, int64_t size) {
    if (has(i)) vector(i, size);
  }
  const KvSpec& kv_layer(int32_t layer) {
    static const KvSpec kAbsent{1, 0, 0, 0};
    const bool known = layer >= 0 && static_cast<size_t>(layer) < graph_.kv_layers.size();
    require(known, "no such cache layer");
    return known ? graph_.kv_layers[static_cast<size_t>(layer)] : kAbsent;
  }
  const Status& status() const { return status_; }

 private:
  const Graph& graph_;
  const Node& node_;
  Status status_;
};

ValueType f32(RowSymbol rows, int64_t cols) { return {DType::kF32, {rows, 0, cols}}; }
Types like(const Value& v) { return {{v.dtype, v.shape}}; }

// One specialisation an operator, in the order of ops.def.
template <OpKind kind, typename A>
Types infer(Inputs& in, const A& attrs);

template <>
Types infer<OpKind::kEmbed>(Inputs& in, const EmbedAttrs&) {
  in.count(2, 2);
  in.step_input(0, RowSymbol::kTokens);
  return {f32(RowSymbol::kTokens, in.weight(1, WeightRole::kEmbedding).shape.cols)};
}

template <>
Types infer<OpKind::kLinear>(Inputs& in, const LinearAttrs&) {
  in.count(2, 3);
  const Value& x = in.at(0);
  const Value& w = in.weight(1, WeightRole::kMatrix);
  in.require(x.kind == ValueKind::kActivation && (x.dtype == DType::kF32 || x.dtype == DType::kQ8Act),
             "x is neither an F32 nor a Q8Act activation");
  in.require(x.shape.cols == w.shape.cols, "x and weight disagree on the number of columns");
  in.optional_vector(2, w.shape.constant_rows);
  return {f32(x.shape.rows, w.shape.constant_rows)};
}

template <>
Types infer<OpKind::kQuantize>(Inputs& in, const QuantizeAttrs& attrs) {
  in.count(1, 1);
  in.require(attrs.group == act_q8::kGroup || attrs.group == act_q8::kWideGroup, "a group has 32 or 128 columns");
  return {{DType::kQ8Act, in.activation(0).shape}};
}

template <>
Types infer<OpKind::kRmsNorm>(Inputs& in, const RmsNormAttrs& attrs) {
  in.count(2, 2);
  const Value& x = in.activation(0);
  const bool divides = attrs.groups > 0 && x.shape.cols % attrs.groups == 0;
  in.require(divides, "groups do not divide the columns");
  if (divides) in.vector(1, x.shape.cols / attrs.groups);
  return like(x);
}

template <>
Types infer<OpKind::kLayerNorm>(Inputs& in, const LayerNormAttrs&) {
  in.count(2, 3);
  const Value& x = in.activation(0);
  in.vector(1, x.shape.cols);
  in.optional_vector(2, x.shape.cols);
  return like(x);
}

template <>
Types infer<OpKind::kAdd>(Inputs& in, const AddAttrs&) {
  in.count(2, 2);
  const Value& a = in.activation(0);
  in.require(a.shape == in.activation(1).shape, "a and b have different shapes");
  return like(a);
}

template <>
Types infer<OpKind::kScale>(Inputs& in, const ScaleAttrs&) {
  in.count(1, 1);
  return like(in.activation(0));
}

template <>
Types infer<OpKind::kSoftcap>(Inputs& in, const SoftcapAttrs& attrs) {
  in.count(1, 1);
  in.require(attrs.cap > 0, "cap is not positive");
  return like(in.activation(0));
}

template <>
Types infer<OpKind::kActivate>(Inputs& in, const ActivateAttrs&) {
  in.count(1, 1);
  return like(in.activation(0));
}

template <>
Types infer<OpKind::kGlu>(Inputs& in, const ActivateAttrs&) {
  in.count(2, 2);
  const Value& gate = in.activation(0);
  in.require(gate.shape == in.activation(1).shape, "gate and up have different shapes");
  return like(gate);
}

template <>
Types infer<OpKind::kRopeTable>(Inputs& in, const RopeTableAttrs& attrs) {
  in.count(2, 4);
  in.step_input(0, RowSymbol::kTokens);
  in.step_input(1, RowSymbol::kTokens);
  const auto half = static_cast<int64_t>(attrs.inv_freq.size());
  in.require(half > 0, "no frequencies");
  in.require(attrs.inv_freq_long.empty() || attrs.inv_freq_long.size() == attrs.inv_freq.size(),
             "the two frequency lists have different lengths");
  in.optional_vector(2, half);
  in.optional_vector(3, half);
  return {f32(RowSymbol::kTokens, 2 * half)};
}

template <>
Types infer<OpKind::kRope>(Inputs& in, const RopeAttrs& attrs) {
  in.count(2, 2);
  const Value& x = in.activation(0);
  const Value& table = in.activation(1);
  in.require(attrs.heads > 0 && x.shape.cols == attrs.heads * attrs.head_dim, "x is not heads * head_dim wide");
  in.require(table.shape.cols <= attrs.head_dim, "rotated part is wider than a head");
  in.require(x.shape.rows == table.shape.rows, "x and table have different rows");
  return like(x);
}

template <>
Types infer<OpKind::kKvAppend>(Inputs& in, const KvAttrs& attrs) {
  in.count(2, 2);
  const KvSpec& kv = in.kv_layer(attrs.layer);
  const Value& k = in.activation(0);
  const Value& v = in.activation(1);
  in.require(k.shape == Shape{RowSymbol::kTokens, 0, kv.kv_heads * kv.k_dim}, "k does not fit the cache layer");
  in.require(v.shape == Shape{RowSymbol::kTokens, 0, kv.kv_heads * kv.v_dim}, "v does not fit the cache layer");
  return {};
}

template <>
Types infer<OpKind::kAttention>(Inputs& in, const AttentionAttrs& attrs) {
  in.count(1, 2);
  const KvSpec& kv = in.kv_layer(attrs.layer);
  const Value& q = in.activation(0);
  in.require(attrs.heads > 0 && kv.kv_heads > 0 && attrs.heads % kv.kv_heads == 0, "KV heads do not divide heads");
  in.require(q.shape == Shape{RowSymbol::kTokens, 0, attrs.heads * kv.k_dim}, "q is not [T, heads * k_dim]");
  in.require(attrs.window >= 0, "negative window");
  in.optional_vector(1, attrs.heads);
  return {f32(RowSymbol::kTokens, attrs.heads * kv.v_dim)};
}

template <>
Types infer<OpKind::kGatherRows>(Inputs& in, const NoAttrs&) {
  in.count(2, 2);
  const Value& x = in.activation(0);
  in.require(x.shape.rows == RowSymbol::kTokens, "x has no token rows");
  in.step_input(1, RowSymbol::kLogitRows);
  return {f32(RowSymbol::kLogitRows, x.shape.cols)};
}

}  // namespace

Result<std::vector<ValueType>> infer_types(const Graph& graph, const Node& node) {
  if (node.attrs.index() != op_info(node.op).attrs_index) {
    return internal_error(std::string(op_name(node.op)) + ": attributes of another operator");
  }
  Inputs in(graph, node);
  Types types;
  switch (node.op) {
#define TRIBAR_OP(kind, name, attributes, in_place) \
  case OpKind::k##kind: types = infer<OpKind::k##kind>(in, std::get<attributes>(node.attrs)); break;
#include "graph/ops.def"
#undef TRIBAR_OP
  }
  if (!in.status().ok()) return in.status();
  return types;
}

}  // namespace tribar::graph
