#include <cstdio>
#include <string>

#include "graph/pipeline.h"

namespace tribar::graph {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

const char* activation_name(Activation a) {
  switch (a) {
    case Activation::kSilu: return "silu";
    case Activation::kGeluTanh: return "gelu_tanh";
    case Activation::kGeluErf: return "gelu_erf";
    case Activation::kRelu: return "relu";
    case Activation::kReluSquared: return "relu_squared";
  }
  return "?";
}

// Collects "name=value" pairs.
class Fields {
 public:
  Fields& add(const char* name, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + std::string(name) + "=" + value;
    return *this;
  }
  Fields& add(const char* name, double value) { return add(name, number(value)); }
  std::string text() const { return text_; }

 private:
  std::string text_;
};

std::string describe(const NoAttrs&) { return ""; }
std::string describe(const LinearAttrs&) { return ""; }
std::string describe(const EmbedAttrs& a) { return Fields().add("scale", a.scale).text(); }
std::string describe(const QuantizeAttrs& a) { return Fields().add("group", double(a.group)).text(); }
std::string describe(const RmsNormAttrs& a) {
  return Fields().add("eps", a.eps).add("weight_offset", a.weight_offset).add("groups", double(a.groups)).text();
}
std::string describe(const LayerNormAttrs& a) { return Fields().add("eps", a.eps).text(); }
std::string describe(const AddAttrs& a) { return Fields().add("scale_b", a.scale_b).text(); }
std::string describe(const ScaleAttrs& a) { return Fields().add("scale", a.scale).text(); }
std::string describe(const SoftcapAttrs& a) { return Fields().add("cap", a.cap).text(); }
std::string describe(const ActivateAttrs& a) { return activation_name(a.activation); }
std::string describe(const RopeTableAttrs& a) {
  Fields f;
  f.add("frequencies", double(a.inv_freq.size())).add("attention_factor", a.attention_factor);
  if (!a.inv_freq_long.empty() || a.switch_length > 0) {
    f.add("switch_length", double(a.switch_length)).add("attention_factor_long", a.attention_factor_long);
  }
  if (a.dynamic_length > 0) {
    f.add("dynamic_length", double(a.dynamic_length)).add("dynamic_factor", a.dynamic_factor);
    f.add("dynamic_base", a.dynamic_base);
  }
  return f.text();
}
std::string describe(const RopeAttrs& a) {
  const char* pairing = a.pairing == RopePairing::kHalves ? "halves" : "adjacent";
  return Fields().add("heads", double(a.heads)).add("head_dim", double(a.head_dim)).add("pairing", pairing).text();
}
std::string describe(const KvAttrs& a) { return Fields().add("layer", a.layer).text(); }
std::string describe(const AttentionAttrs& a) {
  Fields f;
  f.add("layer", a.layer).add("heads", double(a.heads)).add("scale", a.scale);
  if (a.softcap != 0) f.add("softcap", a.softcap);
  if (a.window != 0) f.add("window", double(a.window));
  return f.text();
}

std::string dtype_text(DType type) {
  switch (type) {
    case DType::kF32: return "f32";
    case DType::kI32: return "i32";
    case DType::kQ8Act: return "q8act";
    default: return std::string(dtype_name(type));
  }
}

std::string operand(const Graph& graph, ValueId id) {
  if (id == kNoValue) return "-";
  const Value& v = graph.value(id);
  switch (v.kind) {
    case ValueKind::kInput: return "$" + v.name;
    case ValueKind::kActivation: return "%" + std::to_string(id);
    case ValueKind::kWeight: break;
  }
  const std::string cols = std::to_string(v.shape.cols);
  const std::string dims = v.shape.constant_rows == 1 ? cols : std::to_string(v.shape.constant_rows) + "," + cols;
  return "w:" + v.name + "[" + dims + " " + std::string(dtype_name(v.dtype)) + "]";
}

std::string line(const Graph& graph, const Node& node) {
  std::string text;
  for (const ValueId id : node.outputs) text += (text.empty() ? "" : ", ") + operand(graph, id);
  if (!text.empty()) text += " = ";
  text += std::string(op_name(node.op)) + "(";
  for (size_t i = 0; i < node.inputs.size(); ++i) text += (i ? ", " : "") + operand(graph, node.inputs[i]);
  text += ")";
  const std::string attrs = std::visit([](const auto& a) { return describe(a); }, node.attrs);
  if (!attrs.empty()) text += " {" + attrs + "}";
  std::string names;
  for (const ValueId id : node.outputs) {
    const Value& v = graph.value(id);
    const char* rows = v.shape.rows == RowSymbol::kTokens ? "T" : "R";
    text += std::string(" : ") + rows + " x " + std::to_string(v.shape.cols) + " " + dtype_text(v.dtype);
    if (!v.name.empty()) names += " " + v.name;
  }
  if (!names.empty()) text += "  #" + names;
  return text + "\n";
}

}  // namespace

std::string print(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes) text += line(graph, node);
  if (graph.logits != kNoValue) text += "return " + operand(graph, graph.logits) + "\n";
  return text;
}

}  // namespace tribar::graph
