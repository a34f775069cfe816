// Gemma 2 and Gemma 3 (text): norms before and after each block with weights stored as w - 1 in checkpoints, embeddings
// times sqrt(hidden), tanh GELU, an attention scale of its own, windows on part of the layers. Gemma 2 caps attention
// scores and logits; Gemma 3 norms the heads of q and k and gives the windowed layers another rope base.
#include <cmath>

#include "model/config_gguf.h"
#include "model/config_hf.h"
#include "model/family.h"

namespace tribar::model {
namespace {

constexpr RealRange kCap{1e-3, 1e6};

float root(int64_t value) { return static_cast<float>(std::sqrt(static_cast<double>(value))); }

// GGUF has no query_pre_attn_scalar: the largest model of each generation uses hidden / heads, the others the head
// size.
void scale_queries(int64_t layers_of_largest, ModelConfig* c) {
  if (c->attention_scale != 0.0f) return;
  const bool largest = static_cast<int64_t>(c->layers.size()) == layers_of_largest;
  c->attention_scale = 1.0f / root(largest ? c->hidden_size / c->heads : c->head_dim);
}

void read_gemma2_gguf(Fields& f, const TensorCatalog&, ModelConfig* c) {
  c->embed_scale = root(c->hidden_size);
  c->attention_softcap = static_cast<float>(f.real("attn_logit_softcapping", kCap, 50.0));
  c->final_softcap = static_cast<float>(f.real("final_logit_softcapping", kCap, 30.0));
  scale_queries(46, c);
  read_gguf_windows(f, 4096, 2, c);
}

void read_gemma3_gguf(Fields& f, const TensorCatalog&, ModelConfig* c) {
  c->embed_scale = root(c->hidden_size);
  c->final_softcap = static_cast<float>(f.real("final_logit_softcapping", kCap, 0.0));
  scale_queries(62, c);
  read_gguf_windows(f, 0, 6, c);
  c->local_rope.rot_dim = c->rope.rot_dim;
  c->local_rope.theta = f.real("rope.freq_base_swa", {1e-3, 1e15}, 10000.0);
  for (LayerConfig& layer : c->layers) layer.local_rope = layer.window > 0;
}

// What both read from config.json. Without layer_types every `period`-th layer sees everything.
void read_gemma_hf(Fields& f, int64_t period, ModelConfig* c) {
  c->embed_scale = root(c->hidden_size);
  c->attention_scale = static_cast<float>(1.0 / std::sqrt(f.real("query_pre_attn_scalar", {1e-3, 1e6}, 256.0)));
  c->final_softcap = static_cast<float>(f.real("final_logit_softcapping", kCap, 0.0));
  const int64_t window = f.integer("sliding_window", {1, kMaxContext}, 0);
  std::vector<bool> sliding(c->layers.size());
  for (size_t i = 0; i < sliding.size(); ++i) sliding[i] = (static_cast<int64_t>(i) + 1) % period != 0;
  set_windows(f, read_layer_types(f, c->layers.size()).value_or(sliding), window, c);
}

void read_gemma2_hf(Fields& f, ModelConfig* c) {
  read_gemma_hf(f, 2, c);
  c->attention_softcap = static_cast<float>(f.real("attn_logit_softcapping", kCap, 0.0));
}

void read_gemma3_hf(Fields& f, ModelConfig* c) {
  read_gemma_hf(f, f.integer("sliding_window_pattern", {1, kMaxLayers}, 6), c);
  for (LayerConfig& layer : c->layers) layer.local_rope = layer.window > 0;
  if (f.has("rope_parameters.rope_theta")) f.refuse_value("rope_parameters", "not given per kind of layer");
  HfRopeSource global;
  global.object = "rope_parameters.full_attention";
  global.default_theta = 1e6;
  c->rope = read_hf_rope(f, global, *c);
  HfRopeSource local;
  local.object = "rope_parameters.sliding_attention";
  local.old_object = "";
  local.old_theta = "rope_local_base_freq";
  c->local_rope = read_hf_rope(f, local, *c);
  if (c->rope.rot_dim != c->head_dim || c->local_rope.rot_dim != c->head_dim)
    f.refuse_value("partial_rotary_factor", "not 1");
}

Family make_gemma2() {
  Family f;
  f.name = "gemma2";
  f.gguf_arch = "gemma2";
  f.hf_types = {"gemma2"};
  f.gguf_activation = graph::Activation::kGeluTanh;
  f.post_norms = true;
  f.hf_norm_weight_offset = 1.0f;
  f.qkv_bias = BiasRule::kConfig;
  f.attn_out_bias = BiasRule::kConfig;
  f.hf_norms = {"input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
                "post_feedforward_layernorm"};
  f.hf.kv_heads_required = true;
  f.hf.head_dim = 256;
  f.hf.tied_head = true;
  f.hf.activation_key = "hidden_activation";
  f.hf.activation = "gelu_pytorch_tanh";
  f.gguf_refused = {{"logit_scale", false, true}};
  f.read_gguf = read_gemma2_gguf;
  f.read_hf = read_gemma2_hf;
  return f;
}

Family make_gemma3() {
  Family f = make_gemma2();
  f.name = "gemma3";
  f.gguf_arch = "gemma3";
  f.hf_types = {"gemma3_text", "gemma3"};
  f.qk_norm = QkNorm::kPerHead;
  f.own_rope = true;
  f.hf.heads = 8;  // text_config of published multimodal models leaves out what equals the class
  f.hf.kv_heads = 4;
  f.hf.context_length = 131072;
  f.gguf_refused.push_back({"attn_logit_softcapping", true});
  f.hf_refused = {{"attn_logit_softcapping", true}};  // transformers carries the key and does not apply it
  f.read_gguf = read_gemma3_gguf;
  f.read_hf = read_gemma3_hf;
  return f;
}

}  // namespace

const Family& gemma2_family() {
  static const Family family = make_gemma2();
  return family;
}

const Family& gemma3_family() {
  static const Family family = make_gemma3();
  return family;
}

}  // namespace tribar::model
