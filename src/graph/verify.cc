#include <algorithm>
#include <string>

#include "graph/pipeline.h"
#include "graph/shape_infer.h"

namespace tribar::graph {
namespace {

// Walks the nodes in order, keeping what has been defined and appended so far.
class Verifier {
 public:
  explicit Verifier(const Graph& graph)
      : graph_(graph), defined_(graph.values.size()), appended_(graph.kv_layers.size()) {}

  Status run() {
    TRIBAR_RETURN_IF_ERROR(check_step_inputs());
    TRIBAR_RETURN_IF_ERROR(check_values());
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      TRIBAR_RETURN_IF_ERROR(check_node(i).with_context("node " + std::to_string(i)));
    }
    return check_logits();
  }

 private:
  bool valid(ValueId id) const { return id >= 0 && static_cast<size_t>(id) < graph_.values.size(); }

  Status check_step_inputs() const {
    for (const ValueId id : {graph_.ids, graph_.positions, graph_.rope_lengths, graph_.logit_rows}) {
      if (!valid(id) || graph_.value(id).kind != ValueKind::kInput) return internal_error("a step input is missing");
    }
    return {};
  }

  Status check_values() {
    for (size_t i = 0; i < graph_.values.size(); ++i) {
      const Value& v = graph_.values[i];
      if (v.kind == ValueKind::kActivation) continue;
      defined_[i] = true;
      if (v.kind == ValueKind::kWeight) TRIBAR_RETURN_IF_ERROR(check_weight(v));
    }
    return {};
  }

  Status check_weight(const Value& v) const {
    if (v.weight < 0 || static_cast<size_t>(v.weight) >= graph_.weights.size()) return internal_error("no such weight");
    const WeightSpec& spec = graph_.weights[static_cast<size_t>(v.weight)];
    const bool vector = spec.role == WeightRole::kVector;
    int64_t pieces = 0;
    for (const WeightPiece& piece : spec.pieces) {
      if (piece.row_begin < 0 || piece.row_count <= 0) return internal_error("weight " + spec.name + ": empty piece");
      pieces += piece.row_count;
    }
    if (spec.rows <= 0 || spec.cols <= 0 || (vector && spec.rows != 1) || pieces != (vector ? spec.cols : spec.rows) ||
        v.shape != Shape{RowSymbol::kConstant, spec.rows, spec.cols} || v.dtype != spec.dtype) {
      return internal_error("weight " + spec.name + ": pieces, spec and value disagree");
    }
    return {};
  }

  Status check_node(size_t index) {
    const Node& node = graph_.nodes[index];
    for (const ValueId id : node.inputs) {
      if (id == kNoValue) continue;
      if (!valid(id)) return internal_error("no such input value");
      if (!defined_[static_cast<size_t>(id)])
        return internal_error("%" + std::to_string(id) + " is read before it is made");
    }
    TRIBAR_ASSIGN_OR_RETURN(const std::vector<ValueType> types, infer_types(graph_, node));
    if (types.size() != node.outputs.size()) return internal_error("wrong number of outputs");
    for (size_t i = 0; i < types.size(); ++i) TRIBAR_RETURN_IF_ERROR(check_output(index, node.outputs[i], types[i]));
    return check_resource(node);
  }

  Status check_output(size_t index, ValueId id, const ValueType& type) {
    if (!valid(id)) return internal_error("no such output value");
    const Value& v = graph_.value(id);
    if (defined_[static_cast<size_t>(id)]) return internal_error("%" + std::to_string(id) + " is made twice");
    defined_[static_cast<size_t>(id)] = true;
    if (v.kind != ValueKind::kActivation || v.producer != static_cast<NodeId>(index)) {
      return internal_error("%" + std::to_string(id) + " names another producer");
    }
    if (ValueType{v.dtype, v.shape} != type) return internal_error("%" + std::to_string(id) + " has a wrong type");
    return {};
  }

  // A layer's cache is written once a step, before anything reads it.
  Status check_resource(const Node& node) {
    const std::optional<ResourceAccess> use = resource_access(node);
    if (!use) return {};
    const auto layer = static_cast<size_t>(use->layer);
    const bool write = use->access == Access::kWrite;
    if (write && appended_[layer]) return internal_error("cache layer " + std::to_string(layer) + " is written twice");
    if (!write && !appended_[layer])
      return internal_error("cache layer " + std::to_string(layer) + " is read before it is written");
    if (write) appended_[layer] = true;
    return {};
  }

  Status check_logits() const {
    if (!valid(graph_.logits) || !defined_[static_cast<size_t>(graph_.logits)]) return internal_error("no logits");
    const Value& v = graph_.value(graph_.logits);
    if (v.kind != ValueKind::kActivation || v.dtype != DType::kF32 || v.shape.rows != RowSymbol::kLogitRows) {
      return internal_error("logits are not [R, vocab] F32");
    }
    return {};
  }

  const Graph& graph_;
  std::vector<bool> defined_;
  std::vector<bool> appended_;
};

}  // namespace

Status verify(const Graph& graph) { return Verifier(graph).run(); }

}  // namespace tribar::graph
