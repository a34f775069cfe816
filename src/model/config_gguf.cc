#include "model/config_gguf.h"

#include <array>

#include "model/activation_names.h"
#include "model/block/rope.h"

namespace tribar::model {
namespace {

constexpr std::array kRefused = {
    RefusedKey{"expert_count", true},
    RefusedKey{"attention.clamp_kqv", true},
    RefusedKey{"attention.max_alibi_bias", true},
    RefusedKey{"attention.q_lora_rank", true},
    RefusedKey{"attention.kv_lora_rank", true},
    RefusedKey{"attention.temperature_scale", true},
    RefusedKey{"attention.temperature_length", true},
    RefusedKey{"attention.output_scale", true, true},
    RefusedKey{"attention.shared_kv_layers", true},
    RefusedKey{"use_parallel_residual"},
    RefusedKey{"nextn_predict_layers", true},
    RefusedKey{"interleave_moe_layer_step", true},
    RefusedKey{"leading_dense_block_count", true},
    RefusedKey{"pooling_type", true},
    RefusedKey{"rope.dimension_sections"},
    RefusedKey{"rope.scaling.yarn_log_multiplier", true},
    RefusedKey{"swin_norm"},
    RefusedKey{"ssm.conv_kernel", true},
    RefusedKey{"router_logit_softcapping", true},
};

bool resolve_bias(BiasRule rule, bool present) {
  return rule == BiasRule::kAlways || (rule == BiasRule::kConfig && present);
}

void read_sizes(Fields& f, ModelConfig* c) {
  c->layers.resize(static_cast<size_t>(f.integer("block_count", {1, kMaxLayers})));
  c->context_length = f.integer("context_length", {1, kMaxContext});
  c->hidden_size = f.integer("embedding_length", {1, kMaxWidth});
  c->mlp_size = f.uniform_integer("feed_forward_length", {1, kMaxWidth});
  c->heads = f.uniform_integer("attention.head_count", {1, kMaxHeads});
  c->kv_heads = f.uniform_integer("attention.head_count_kv", {1, kMaxHeads}, c->heads);
  if (!f.has("attention.key_length") && c->hidden_size % c->heads != 0) {
    f.fail(
        data_loss("embedding_length is not a multiple of attention.head_count, and attention.key_length is missing"));
  }
  c->head_dim = f.integer("attention.key_length", {1, kMaxHeadDim}, c->hidden_size / c->heads);
  if (f.integer("attention.value_length", {1, kMaxHeadDim}, c->head_dim) != c->head_dim) {
    f.refuse_value("attention.value_length", "different from attention.key_length");
  }
}

}  // namespace

void read_gguf_windows(Fields& f, int64_t default_window, int64_t default_period, ModelConfig* c) {
  const int64_t window = f.integer("attention.sliding_window", {0, kMaxContext}, default_window);
  const std::string_view kPattern = "attention.sliding_window_pattern";
  std::vector<bool> flags;
  int64_t period = default_period;
  if (const auto listed = f.flags(kPattern)) {
    flags = *listed;
    if (flags.size() < c->layers.size()) f.fail(data_loss("attention.sliding_window_pattern has too few entries"));
  } else {
    period = f.integer(kPattern, {0, kMaxLayers}, default_period);
  }
  if (!f.status().ok()) return;
  for (size_t i = 0; i < c->layers.size(); ++i) {
    const bool windowed = flags.empty() ? period == 0 || static_cast<int64_t>(i) % period < period - 1 : flags[i];
    c->layers[i].window = windowed ? window : 0;
  }
}

RopeConfig read_gguf_rope(Fields& f, const ModelConfig& c) {
  RopeConfig rope;
  rope.rot_dim = f.integer("rope.dimension_count", {2, kMaxHeadDim}, c.head_dim);
  rope.theta = f.real("rope.freq_base", {1e-3, 1e15}, 10000.0);
  rope.factor = f.real("rope.scaling.factor", {0.0, 1e6}, f.real("rope.scale_linear", {0.0, 1e6}, 0.0));
  if (rope.factor == 0.0) rope.factor = 1.0;  // how converters write "no scaling"
  const std::string type = f.word("rope.scaling.type", rope.factor == 1.0 ? "none" : "linear");
  const double model_factor = f.real("rope.scaling.attn_factor", {1e-3, 1e3}, 1.0);
  rope.attention_factor = model_factor;
  if (type == "linear") {
    rope.scaling = rope.factor == 1.0 ? RopeScaling::kNone : RopeScaling::kLinear;
  } else if (type == "yarn") {
    rope.scaling = RopeScaling::kYarn;
    rope.original_length = f.integer("rope.scaling.original_context_length", {1, kMaxContext}, c.context_length);
    rope.beta_fast = f.real("rope.scaling.yarn_beta_fast", {1e-3, 1e6}, 32.0);
    rope.beta_slow = f.real("rope.scaling.yarn_beta_slow", {1e-3, 1e6}, 1.0);
    rope.attention_factor =
        model_factor * f.real("rope.scaling.yarn_attn_factor", {1e-3, 1e3}, yarn_attention_factor(rope.factor));
    f.refuse(std::array{RefusedKey{"rope.scaling.yarn_ext_factor", false, true}});
  } else if (type != "none" && type != "longrope") {
    f.refuse_word("rope.scaling.type", type);
  }
  return rope;
}

Result<ModelConfig> read_gguf_config(const ModelSource& source, const Family& family) {
  Fields f(*source.metadata, std::string(family.gguf_arch) + ".");
  ModelConfig c;
  c.family = family.name;
  read_sizes(f, &c);
  c.norm_eps = static_cast<float>(f.real("attention.layer_norm_rms_epsilon", {1e-12, 1.0}));
  c.activation = read_activation(f, "hidden_activation", family.gguf_activation);
  c.qk_norm = family.qk_norm;
  c.pre_norms = family.pre_norms;
  c.post_norms = family.post_norms;
  c.rope_pairing = family.gguf_pairing;
  c.tied_head = true;  // GGUF has no such key: a file without output.weight ties

  const auto in_layer_0 = [&](const char* name) {
    return source.catalog->find(std::string("blk.0.") + name) != nullptr;
  };
  c.qkv_bias = resolve_bias(family.qkv_bias, in_layer_0("attn_q.bias") || in_layer_0("attn_qkv.bias"));
  c.attn_out_bias = resolve_bias(family.attn_out_bias, in_layer_0("attn_output.bias"));
  c.mlp_bias = resolve_bias(family.mlp_bias, in_layer_0("ffn_up.bias"));

  c.rope = read_gguf_rope(f, c);
  c.rope.factor_tensors = source.catalog->find("rope_freqs.weight") != nullptr;
  c.attention_scale = static_cast<float>(f.real("attention.scale", {0.0, 1e3}, 0.0));
  c.embed_scale = static_cast<float>(f.real("embedding_scale", {1e-6, 1e6}, 1.0));
  c.residual_scale = static_cast<float>(f.real("residual_scale", {1e-6, 1e6}, 1.0));
  if (!f.flag("attention.causal", true)) f.refuse_value("attention.causal", "false");
  f.refuse(kRefused);
  f.refuse(family.gguf_refused);
  read_gguf_windows(f, 0, 0, &c);
  if (f.status().ok() && family.read_gguf != nullptr) family.read_gguf(f, *source.catalog, &c);
  if (!f.status().ok()) return f.status();
  TRIBAR_RETURN_IF_ERROR(validate(&c));
  return c;
}

}  // namespace tribar::model
