#include "runtime/lower.h"

#include <string>

#include "graph/memory_plan.h"
#include "tensor/act_q8.h"

namespace tribar::runtime {
namespace {

using graph::Node;
using graph::OpKind;

kernel::Activation activation_of(graph::Activation a) {
  switch (a) {
    case graph::Activation::kSilu: return kernel::Activation::kSilu;
    case graph::Activation::kGeluTanh: return kernel::Activation::kGeluTanh;
    case graph::Activation::kGeluErf: return kernel::Activation::kGeluErf;
    case graph::Activation::kRelu: return kernel::Activation::kRelu;
    case graph::Activation::kReluSquared: return kernel::Activation::kReluSquared;
  }
  return kernel::Activation::kSilu;
}

// Resolves the operands of one node.
class Lowering {
 public:
  Lowering(const LowerContext& context, const Node& node, std::span<const TensorView> views)
      : c_(context), node_(node), views_(views) {}

  KernelCall run() const {
    const kernel::KernelTable& k = *c_.kernels;
    switch (node_.op) {
      case OpKind::kEmbed: {
        const auto& a = attrs<graph::EmbedAttrs>();
        const WeightStore::Matrix& table = matrix(1);
        const kernel::UnpackRow unpack_row = table.kernel != nullptr ? table.kernel->unpack_row : nullptr;
        return bind(k.embed, {c_.buffers->ids(), table.view, a.scale, y(), unpack_row});
      }
      case OpKind::kLinear: return bind(linear_function(), {x(0), matrix(1).view, vector(2), y()});
      case OpKind::kQuantize: return bind(k.quantize, {x(0), y(), attrs<graph::QuantizeAttrs>().group});
      case OpKind::kRmsNorm: {
        const auto& a = attrs<graph::RmsNormAttrs>();
        return bind(k.rms_norm, {x(0), vector(1), a.weight_offset, a.eps, a.groups, y()});
      }
      case OpKind::kLayerNorm: {
        return bind(k.layer_norm, {x(0), vector(1), vector(2), attrs<graph::LayerNormAttrs>().eps, y()});
      }
      case OpKind::kAdd: return bind(k.add, {x(0), x(1), attrs<graph::AddAttrs>().scale_b, y()});
      case OpKind::kScale: return bind(k.scale, {x(0), attrs<graph::ScaleAttrs>().scale, y()});
      case OpKind::kSoftcap: return bind(k.softcap, {x(0), attrs<graph::SoftcapAttrs>().cap, y()});
      case OpKind::kActivate: return bind(k.activate, {x(0), activation(), y()});
      case OpKind::kGlu: return bind(k.glu, {x(0), x(1), activation(), y()});
      case OpKind::kRopeTable: return rope_table();
      case OpKind::kRope: {
        const auto& a = attrs<graph::RopeAttrs>();
        const auto pairing =
            a.pairing == graph::RopePairing::kHalves ? kernel::RopePairing::kHalves : kernel::RopePairing::kAdjacent;
        return bind(k.rope, {x(0), x(1), a.heads, a.head_dim, pairing, y()});
      }
      case OpKind::kKvAppend: {
        return bind(k.kv_append, {x(0), x(1), c_.cache->view(attrs<graph::KvAttrs>().layer), c_.buffers->sequences()});
      }
      case OpKind::kAttention: return attention();
      case OpKind::kGatherRows: return bind(k.gather_rows, {x(0), c_.buffers->logit_rows(), y()});
    }
    check_failed(__FILE__, __LINE__, "node.op", op_name(node_.op));
  }

 private:
  template <typename Args>
  static KernelCall bind(kernel::KernelFn<Args> fn, Args args) {
    return Bound<Args>{fn, std::move(args)};
  }
  template <typename A>
  const A& attrs() const {
    return std::get<A>(node_.attrs);
  }
  bool has(size_t i) const { return i < node_.inputs.size() && node_.inputs[i] != graph::kNoValue; }
  const graph::Value& input(size_t i) const { return c_.graph->value(node_.inputs[i]); }
  TensorView x(size_t i) const { return views_[static_cast<size_t>(node_.inputs[i])]; }
  TensorView y() const { return views_[static_cast<size_t>(node_.outputs[0])]; }
  const WeightStore::Matrix& matrix(size_t i) const { return c_.weights->matrix(input(i).weight); }
  const float* vector(size_t i) const { return has(i) ? c_.weights->vector(input(i).weight).data() : nullptr; }
  kernel::Activation activation() const { return activation_of(attrs<graph::ActivateAttrs>().activation); }

  // The kernel for the groups in which its input was quantised.
  kernel::KernelFn<kernel::LinearArgs> linear_function() const {
    const kernel::LinearKernel& kernel = *matrix(1).kernel;
    const int32_t producer = input(0).producer;
    if (kernel.run_wide == nullptr || producer < 0) return kernel.run;
    const Node& made_by = c_.graph->nodes[static_cast<size_t>(producer)];
    const auto* quantize = std::get_if<graph::QuantizeAttrs>(&made_by.attrs);
    return quantize != nullptr && quantize->group == act_q8::kWideGroup ? kernel.run_wide : kernel.run;
  }

  KernelCall rope_table() const {
    const auto& a = attrs<graph::RopeTableAttrs>();
    kernel::RopeTableArgs args;
    args.positions = c_.buffers->positions();
    args.lengths = c_.buffers->rope_lengths();
    args.inv_freq = a.inv_freq;
    args.inv_freq_long = a.inv_freq_long;
    args.attention_factor = a.attention_factor;
    args.attention_factor_long = a.attention_factor_long;
    args.switch_length = a.switch_length;
    args.dynamic_length = a.dynamic_length;
    args.dynamic_factor = a.dynamic_factor;
    args.dynamic_base = a.dynamic_base;
    args.y = y();
    return bind(c_.kernels->rope_table, args);
  }

  KernelCall attention() const {
    const auto& a = attrs<graph::AttentionAttrs>();
    kernel::AttentionArgs args;
    args.q = x(0);
    args.cache = c_.cache->view(a.layer);
    args.sequences = c_.buffers->sequences();
    args.heads = a.heads;
    args.scale = a.scale;
    args.softcap = a.softcap;
    args.window = a.window;
    args.sinks = vector(1);
    args.y = y();
    return bind(c_.kernels->attention, args);
  }

  const LowerContext& c_;
  const Node& node_;
  std::span<const TensorView> views_;
};

bool has_kernel(const kernel::KernelTable& k, OpKind op) {
  switch (op) {
    case OpKind::kEmbed: return k.embed != nullptr;
    case OpKind::kLinear: return true;  // chosen by the weight store
    case OpKind::kQuantize: return k.quantize != nullptr;
    case OpKind::kRmsNorm: return k.rms_norm != nullptr;
    case OpKind::kLayerNorm: return k.layer_norm != nullptr;
    case OpKind::kAdd: return k.add != nullptr;
    case OpKind::kScale: return k.scale != nullptr;
    case OpKind::kSoftcap: return k.softcap != nullptr;
    case OpKind::kActivate: return k.activate != nullptr;
    case OpKind::kGlu: return k.glu != nullptr;
    case OpKind::kRopeTable: return k.rope_table != nullptr;
    case OpKind::kRope: return k.rope != nullptr;
    case OpKind::kKvAppend: return k.kv_append != nullptr;
    case OpKind::kAttention: return k.attention != nullptr;
    case OpKind::kGatherRows: return k.gather_rows != nullptr;
  }
  return false;
}

void divide(std::vector<float>* frequencies, std::span<const float> factors) {
  for (size_t i = 0; i < factors.size(); ++i) (*frequencies)[i] /= factors[i];
}

}  // namespace

void fold_rope_factors(graph::Graph* graph, const WeightStore& weights) {
  for (Node& node : graph->nodes) {
    if (node.op != OpKind::kRopeTable) continue;
    auto& attrs = std::get<graph::RopeTableAttrs>(node.attrs);
    const auto factors = [&](size_t i) -> std::span<const float> {
      if (i >= node.inputs.size() || node.inputs[i] == graph::kNoValue) return {};
      return weights.vector(graph->value(node.inputs[i]).weight);
    };
    const std::span<const float> first = factors(2);
    const std::span<const float> second = factors(3);
    if (!second.empty() && attrs.inv_freq_long.empty()) attrs.inv_freq_long = attrs.inv_freq;
    divide(&attrs.inv_freq, first);
    divide(&attrs.inv_freq_long, second);
    node.inputs.resize(2);
  }
}

KernelCall lower_node(const LowerContext& context, const Node& node, std::span<const TensorView> views) {
  return Lowering(context, node, views).run();
}

Status check_lowering(const LowerContext& context) {
  for (const Node& node : context.graph->nodes) {
    if (!has_kernel(*context.kernels, node.op)) {
      return unimplemented("no kernel for operator " + std::string(op_name(node.op)) + " on this instruction set");
    }
    if (resource_access(node) && context.cache == nullptr) return internal_error("the graph needs a KV cache");
    if (node.op != OpKind::kLinear) continue;
    const auto& matrix = context.weights->matrix(context.graph->value(node.inputs[1]).weight);
    if (matrix.kernel == nullptr || matrix.kernel->activation != context.graph->value(node.inputs[0]).dtype) {
      return internal_error("a linear layer's weight is packed for other activations than the graph gives it");
    }
  }
  return {};
}

TensorView activation_view(const graph::Value& value, void* data, int64_t rows) {
  return {data, value.dtype, rows, value.shape.cols, graph::row_stride_bytes(value.dtype, value.shape.cols)};
}

}  // namespace tribar::runtime
