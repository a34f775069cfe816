// Builder: how model/ writes a graph. Shapes are inferred and checked at once; a mistake is our bug (TRIBAR_CHECK).
//
//   Builder b(&graph);
//   ValueId x = b.embed(b.weight(spec), scale);
//   ValueId h = b.name("layer.0.attn", b.linear(x, w, bias));
//   b.set_logits(b.linear(b.gather_logit_rows(x), head));
//
// Threads: one caller.
#pragma once

#include <string>

#include "graph/graph.h"

namespace tribar::graph {

class Builder {
 public:
  explicit Builder(Graph* graph);  // adds the step's inputs to an empty graph

  ValueId weight(WeightSpec spec);
  int32_t kv_layer(KvSpec spec);

  ValueId embed(ValueId table, float scale);
  ValueId linear(ValueId x, ValueId weight, ValueId bias = kNoValue);
  ValueId rms_norm(ValueId x, ValueId weight, RmsNormAttrs attrs);
  ValueId layer_norm(ValueId x, ValueId weight, ValueId bias, float eps);
  ValueId add(ValueId a, ValueId b, float scale_b = 1.0f);
  ValueId scale(ValueId x, float factor);
  ValueId softcap(ValueId x, float cap);
  ValueId activate(ValueId x, Activation activation);
  ValueId glu(ValueId gate, ValueId up, Activation activation);
  // `factors`, `factors_long`: vectors [rot_dim / 2] that divide the frequencies, or kNoValue.
  ValueId rope_table(RopeTableAttrs attrs, ValueId factors = kNoValue, ValueId factors_long = kNoValue);
  ValueId rope(ValueId x, ValueId table, RopeAttrs attrs);
  void kv_append(ValueId k, ValueId v, int32_t layer);
  ValueId attention(ValueId q, AttentionAttrs attrs, ValueId sinks = kNoValue);
  ValueId gather_logit_rows(ValueId x);

  // Gives a value the name that traces, dumps and layer-by-layer comparison use. Returns the value.
  ValueId name(std::string name, ValueId value);
  void set_logits(ValueId value);

  const Graph& graph() const { return *graph_; }

 private:
  ValueId emit(OpKind op, std::vector<ValueId> inputs, Attrs attrs);
  Graph* graph_;
};

}  // namespace tribar::graph
