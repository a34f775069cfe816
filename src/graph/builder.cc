#include "graph/builder.h"

#include <utility>

#include "graph/shape_infer.h"

namespace tribar::graph {
namespace {

ValueId add_value(Graph* graph, Value value) {
  graph->values.push_back(std::move(value));
  return static_cast<ValueId>(graph->values.size() - 1);
}

ValueId add_input(Graph* graph, const char* name, RowSymbol rows) {
  Value v;
  v.name = name;
  v.kind = ValueKind::kInput;
  v.dtype = DType::kI32;
  v.shape = {rows, 0, 1};
  return add_value(graph, std::move(v));
}

}  // namespace

Builder::Builder(Graph* graph) : graph_(graph) {
  TRIBAR_CHECK(graph->values.empty());
  graph->ids = add_input(graph, "ids", RowSymbol::kTokens);
  graph->positions = add_input(graph, "positions", RowSymbol::kTokens);
  graph->rope_lengths = add_input(graph, "rope_lengths", RowSymbol::kTokens);
  graph->logit_rows = add_input(graph, "logit_rows", RowSymbol::kLogitRows);
}

ValueId Builder::weight(WeightSpec spec) {
  Value v;
  v.name = spec.name;
  v.kind = ValueKind::kWeight;
  v.dtype = spec.dtype;
  v.shape = {RowSymbol::kConstant, spec.rows, spec.cols};
  v.weight = static_cast<int32_t>(graph_->weights.size());
  graph_->weights.push_back(std::move(spec));
  return add_value(graph_, std::move(v));
}

int32_t Builder::kv_layer(KvSpec spec) {
  graph_->kv_layers.push_back(spec);
  return static_cast<int32_t>(graph_->kv_layers.size() - 1);
}

ValueId Builder::emit(OpKind op, std::vector<ValueId> inputs, Attrs attrs) {
  while (!inputs.empty() && inputs.back() == kNoValue) inputs.pop_back();
  Node node{op, std::move(inputs), {}, std::move(attrs)};
  const Result<std::vector<ValueType>> types = infer_types(*graph_, node);
  if (!types.ok()) check_failed(__FILE__, __LINE__, "infer_types", types.status().message());
  for (const ValueType& type : *types) {
    Value v;
    v.dtype = type.dtype;
    v.shape = type.shape;
    v.producer = static_cast<NodeId>(graph_->nodes.size());
    node.outputs.push_back(add_value(graph_, std::move(v)));
  }
  const ValueId first = node.outputs.empty() ? kNoValue : node.outputs.front();
  graph_->nodes.push_back(std::move(node));
  return first;
}

ValueId Builder::embed(ValueId table, float scale) {
  return emit(OpKind::kEmbed, {graph_->ids, table}, EmbedAttrs{scale});
}
ValueId Builder::linear(ValueId x, ValueId weight, ValueId bias) {
  return emit(OpKind::kLinear, {x, weight, bias}, LinearAttrs{});
}
ValueId Builder::rms_norm(ValueId x, ValueId weight, RmsNormAttrs attrs) {
  return emit(OpKind::kRmsNorm, {x, weight}, attrs);
}
ValueId Builder::layer_norm(ValueId x, ValueId weight, ValueId bias, float eps) {
  return emit(OpKind::kLayerNorm, {x, weight, bias}, LayerNormAttrs{eps});
}
ValueId Builder::add(ValueId a, ValueId b, float scale_b) { return emit(OpKind::kAdd, {a, b}, AddAttrs{scale_b}); }
ValueId Builder::scale(ValueId x, float factor) { return emit(OpKind::kScale, {x}, ScaleAttrs{factor}); }
ValueId Builder::softcap(ValueId x, float cap) { return emit(OpKind::kSoftcap, {x}, SoftcapAttrs{cap}); }
ValueId Builder::activate(ValueId x, Activation activation) {
  return emit(OpKind::kActivate, {x}, ActivateAttrs{activation});
}
ValueId Builder::glu(ValueId gate, ValueId up, Activation activation) {
  return emit(OpKind::kGlu, {gate, up}, ActivateAttrs{activation});
}
ValueId Builder::rope_table(RopeTableAttrs attrs, ValueId factors, ValueId factors_long) {
  return emit(OpKind::kRopeTable, {graph_->positions, graph_->rope_lengths, factors, factors_long}, std::move(attrs));
}
ValueId Builder::rope(ValueId x, ValueId table, RopeAttrs attrs) { return emit(OpKind::kRope, {x, table}, attrs); }
void Builder::kv_append(ValueId k, ValueId v, int32_t layer) { emit(OpKind::kKvAppend, {k, v}, KvAttrs{layer}); }
ValueId Builder::attention(ValueId q, AttentionAttrs attrs, ValueId sinks) {
  return emit(OpKind::kAttention, {q, sinks}, attrs);
}
ValueId Builder::gather_logit_rows(ValueId x) { return emit(OpKind::kGatherRows, {x, graph_->logit_rows}, NoAttrs{}); }

ValueId Builder::name(std::string name, ValueId value) {
  graph_->value(value).name = std::move(name);
  return value;
}

void Builder::set_logits(ValueId value) { graph_->logits = value; }

}  // namespace tribar::graph
