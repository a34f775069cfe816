#include "model/config_hf.h"

#include <array>

#include "model/activation_names.h"

namespace tribar::model {
namespace {

constexpr std::array kRefused = {
    RefusedKey{"quantization_config"},
    RefusedKey{"compression_config"},
    RefusedKey{"clip_qkv", true},
    RefusedKey{"num_local_experts", true},
    RefusedKey{"num_experts", true},
    RefusedKey{"n_routed_experts", true},
    RefusedKey{"use_bidirectional_attention"},
    RefusedKey{"is_encoder_decoder"},
    RefusedKey{"add_cross_attention"},
    RefusedKey{"attention_chunk_size", true},
    RefusedKey{"alibi"},
    RefusedKey{"qk_layernorm"},
    RefusedKey{"rope_interleaved"},
    RefusedKey{"use_parallel_residual"},
    RefusedKey{"use_mrope"},
    RefusedKey{"use_logn_attn"},
    RefusedKey{"use_dynamic_ntk"},
    RefusedKey{"attn_temperature_tuning", true},
    RefusedKey{"logit_scale", false, true},
};

bool resolve_bias(Fields& f, BiasRule rule, std::string_view key, bool fallback) {
  if (rule == BiasRule::kConfig) return f.flag(key, fallback);
  if (rule == BiasRule::kNever && f.flag(key, false)) f.refuse_value(key, "true");
  return rule == BiasRule::kAlways;
}

void read_sizes(Fields& f, const HfDefaults& d, ModelConfig* c) {
  c->layers.resize(static_cast<size_t>(f.integer("num_hidden_layers", {1, kMaxLayers})));
  c->context_length = f.integer("max_position_embeddings", {1, kMaxContext}, d.context_length);
  c->vocab_size = f.integer("vocab_size", {1, kMaxVocab}, 0);
  c->hidden_size = f.integer("hidden_size", {1, kMaxWidth});
  c->mlp_size = f.integer("intermediate_size", {1, kMaxWidth});
  c->heads = f.integer("num_attention_heads", {1, kMaxHeads}, d.heads);
  std::optional<int64_t> kv_heads = d.kv_heads;
  if (!kv_heads && !d.kv_heads_required) kv_heads = c->heads;
  c->kv_heads = f.integer("num_key_value_heads", {1, kMaxHeads}, kv_heads);
  if (!f.has("head_dim") && d.head_dim == 0 && c->hidden_size % c->heads != 0) {
    f.fail(data_loss("hidden_size is not a multiple of num_attention_heads, and head_dim is missing"));
  }
  c->head_dim = f.integer("head_dim", {1, kMaxHeadDim}, d.head_dim > 0 ? d.head_dim : c->hidden_size / c->heads);
}

void read_biases(Fields& f, const Family& family, ModelConfig* c) {
  const bool fallback = family.hf.attention_bias;
  // Where q, k and v always have biases the key says nothing (qwen2 does not read it).
  if (family.qkv_bias == BiasRule::kAlways) {
    c->qkv_bias = true;
  } else {
    c->qkv_bias = resolve_bias(f, family.qkv_bias, "attention_bias", fallback);
    if (family.attn_out_bias == BiasRule::kConfig) c->attn_out_bias = c->qkv_bias;
  }
  c->mlp_bias = resolve_bias(f, family.mlp_bias, "mlp_bias", false);
}

// Families without windows of their own may still carry layer_types; it must say what is computed.
void check_layer_types(Fields& f, const ModelConfig& c) {
  const std::optional<std::vector<bool>> sliding = read_layer_types(f, c.layers.size());
  if (!sliding || !f.status().ok()) return;
  for (size_t i = 0; i < c.layers.size(); ++i) {
    if ((*sliding)[i] != (c.layers[i].window > 0)) {
      f.fail(unimplemented("layer_types and sliding_window contradict each other in layer " + std::to_string(i)));
    }
  }
}

}  // namespace

std::optional<std::vector<bool>> read_layer_types(Fields& f, size_t layers) {
  if (!f.has("layer_types")) return std::nullopt;
  const std::vector<std::string> types = f.words("layer_types");
  std::vector<bool> sliding(layers);
  if (types.size() != layers) {
    f.fail(data_loss("layer_types has " + std::to_string(types.size()) + " entries for " + std::to_string(layers) +
                     " layers"));
    return sliding;
  }
  for (size_t i = 0; i < layers; ++i) {
    sliding[i] = types[i] == "sliding_attention";
    if (!sliding[i] && types[i] != "full_attention") f.refuse_word("layer_types", types[i]);
  }
  return sliding;
}

void set_windows(Fields& f, const std::vector<bool>& sliding, int64_t window, ModelConfig* c) {
  for (size_t i = 0; i < c->layers.size(); ++i) {
    if (sliding[i] && window == 0)
      f.fail(data_loss("layer_types asks for a sliding window and sliding_window gives none"));
    c->layers[i].window = sliding[i] ? window : 0;
  }
}

Result<ModelConfig> read_hf_config(const ModelSource& source, const Family& family) {
  const bool wrapped = source.metadata->contains_object("text_config");  // text part of a multimodal model
  Fields f(*source.metadata, wrapped ? "text_config." : "");
  ModelConfig c;
  c.family = family.name;
  read_sizes(f, family.hf, &c);
  c.norm_eps = static_cast<float>(f.real("rms_norm_eps", {1e-12, 1.0}, family.hf.norm_eps));
  const auto default_activation = activation_from_name(family.hf.activation);
  c.activation = read_activation(f, family.hf.activation_key, default_activation.value_or(graph::Activation::kSilu));
  c.norm_weight_offset = family.hf_norm_weight_offset;
  c.qk_norm = family.qk_norm;
  c.pre_norms = family.pre_norms;
  c.post_norms = family.post_norms;
  c.rope_pairing = family.hf_pairing;
  c.tied_head = f.flag("tie_word_embeddings", family.hf.tied_head);
  read_biases(f, family, &c);

  HfRopeSource where;
  where.default_theta = family.hf.rope_theta;
  where.default_partial = family.hf.partial_rotary;
  where.default_original_length = family.hf.original_length;
  if (!family.own_rope) c.rope = read_hf_rope(f, where, c);
  if (!family.partial_rotary && c.rope.rot_dim != c.head_dim && !family.own_rope) {
    f.refuse_value("partial_rotary_factor", "not 1");
  }
  f.refuse(kRefused);
  f.refuse(family.hf_refused);
  if (wrapped) {
    Fields top(*source.metadata, "");
    top.refuse(kRefused);
    f.fail(top.status());
  }
  if (f.status().ok() && family.read_hf != nullptr) family.read_hf(f, &c);
  check_layer_types(f, c);
  if (!f.status().ok()) return f.status();
  TRIBAR_RETURN_IF_ERROR(validate(&c));
  return c;
}

}  // namespace tribar::model
