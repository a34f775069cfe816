// A small model of any family as metadata and a tensor catalog, in both styles, for tests of the readers and of
// build_model.
//
//   SampleModel m = sample_model("qwen3", NameStyle::kGguf);
//   m.metadata.set("qwen3.attention.head_count", int64_t{0});
//   EXPECT_FALSE(build_model(m.source()).ok());
//
// Both styles of one family describe the same model. Written out by hand, not with the code under test.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/model.h"

namespace tribar::model {

class MapCatalog : public TensorCatalog {
 public:
  void add(const std::string& name, std::vector<int64_t> shape, DType dtype = DType::kF32) {
    tensors[name] = {dtype, std::move(shape)};
  }
  const TensorInfo* find(std::string_view name) const override {
    const auto found = tensors.find(name);
    return found == tensors.end() ? nullptr : &found->second;
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const auto& [name, info] : tensors) all.push_back(name);
    return all;
  }
  std::map<std::string, TensorInfo, std::less<>> tensors;
};

struct SampleModel {
  NameStyle style = NameStyle::kGguf;
  format::Metadata metadata;
  MapCatalog catalog;
  ModelSource source() const { return {&metadata, style, &catalog}; }
};

// What differs between the families' files, beside metadata.
struct SampleShape {
  std::string gguf_arch;
  std::string hf_type;
  int64_t layers = 2;
  int64_t head_dim = 16;
  bool pre_norms = true;
  bool post_norms = false;
  int qk_norm = 0;  // 1 per head, 2 over all heads
  bool qkv_bias = false;
  bool fused_qkv = false;
  bool fused_mlp = false;
  std::vector<std::string> hf_norms = {"input_layernorm", "", "post_attention_layernorm", ""};
};

inline SampleShape sample_shape(const std::string& family) {
  const std::vector<std::string> gemma_norms = {"input_layernorm", "post_attention_layernorm",
                                                "pre_feedforward_layernorm", "post_feedforward_layernorm"};
  if (family == "mistral") return {.gguf_arch = "llama", .hf_type = "mistral", .head_dim = 32};
  if (family == "qwen2") return {.gguf_arch = "qwen2", .hf_type = "qwen2", .layers = 4, .qkv_bias = true};
  if (family == "qwen3") return {.gguf_arch = "qwen3", .hf_type = "qwen3", .layers = 4, .head_dim = 32, .qk_norm = 1};
  if (family == "gemma2") {
    return {.gguf_arch = "gemma2",
            .hf_type = "gemma2",
            .layers = 4,
            .head_dim = 32,
            .post_norms = true,
            .hf_norms = gemma_norms};
  }
  if (family == "gemma3") {
    return {.gguf_arch = "gemma3",
            .hf_type = "gemma3_text",
            .layers = 7,
            .head_dim = 32,
            .post_norms = true,
            .qk_norm = 1,
            .hf_norms = gemma_norms};
  }
  if (family == "phi3") return {.gguf_arch = "phi3", .hf_type = "phi3", .fused_qkv = true, .fused_mlp = true};
  if (family == "smollm3") return {.gguf_arch = "smollm3", .hf_type = "smollm3", .layers = 5};
  if (family == "olmo2") {
    return {.gguf_arch = "olmo2",
            .hf_type = "olmo2",
            .pre_norms = false,
            .post_norms = true,
            .qk_norm = 2,
            .hf_norms = {"", "post_attention_layernorm", "", "post_feedforward_layernorm"}};
  }
  if (family == "granite") return {.gguf_arch = "granite", .hf_type = "granite"};
  if (family == "glm") {
    return {.gguf_arch = "chatglm", .hf_type = "glm", .head_dim = 32, .qkv_bias = true, .fused_mlp = true};
  }
  if (family == "glm4") {
    return {
        .gguf_arch = "glm4",
        .hf_type = "glm4",
        .head_dim = 32,
        .post_norms = true,
        .qkv_bias = true,
        .fused_mlp = true,
        .hf_norms = {"input_layernorm", "post_self_attn_layernorm", "post_attention_layernorm", "post_mlp_layernorm"}};
  }
  return {.gguf_arch = "llama", .hf_type = "llama"};
}

inline constexpr int64_t kSampleVocab = 96;
inline constexpr int64_t kSampleHidden = 64;
inline constexpr int64_t kSampleMlp = 80;
inline constexpr int64_t kSampleHeads = 4;
inline constexpr int64_t kSampleKvHeads = 2;
inline constexpr int64_t kSampleContext = 256;

inline void add_sample_layer(MapCatalog& c, const SampleShape& s, bool gguf, int64_t layer) {
  const std::string at = (gguf ? "blk." : "model.layers.") + std::to_string(layer) + ".";
  const auto name = [&](const char* in_gguf, const std::string& in_hf) { return at + (gguf ? in_gguf : in_hf); };
  const int64_t q = kSampleHeads * s.head_dim;
  const int64_t kv = kSampleKvHeads * s.head_dim;
  if (s.pre_norms) {
    c.add(name("attn_norm", s.hf_norms[0]) + ".weight", {kSampleHidden});
    c.add(name("ffn_norm", s.hf_norms[2]) + ".weight", {kSampleHidden});
  }
  if (s.post_norms) {
    c.add(name("post_attention_norm", s.hf_norms[1]) + ".weight", {kSampleHidden});
    c.add(name("post_ffw_norm", s.hf_norms[3]) + ".weight", {kSampleHidden});
  }
  if (s.fused_qkv) {
    c.add(name("attn_qkv", "self_attn.qkv_proj") + ".weight", {q + 2 * kv, kSampleHidden});
  } else {
    c.add(name("attn_q", "self_attn.q_proj") + ".weight", {q, kSampleHidden});
    c.add(name("attn_k", "self_attn.k_proj") + ".weight", {kv, kSampleHidden});
    c.add(name("attn_v", "self_attn.v_proj") + ".weight", {kv, kSampleHidden});
  }
  if (s.qkv_bias) {
    c.add(name("attn_q", "self_attn.q_proj") + ".bias", {q});
    c.add(name("attn_k", "self_attn.k_proj") + ".bias", {kv});
    c.add(name("attn_v", "self_attn.v_proj") + ".bias", {kv});
  }
  if (s.qk_norm != 0) {
    c.add(name("attn_q_norm", "self_attn.q_norm") + ".weight", {s.qk_norm == 1 ? s.head_dim : q});
    c.add(name("attn_k_norm", "self_attn.k_norm") + ".weight", {s.qk_norm == 1 ? s.head_dim : kv});
  }
  c.add(name("attn_output", "self_attn.o_proj") + ".weight", {kSampleHidden, q});
  if (s.fused_mlp) {
    c.add(name("ffn_up", "mlp.gate_up_proj") + ".weight", {2 * kSampleMlp, kSampleHidden});
  } else {
    c.add(name("ffn_gate", "mlp.gate_proj") + ".weight", {kSampleMlp, kSampleHidden});
    c.add(name("ffn_up", "mlp.up_proj") + ".weight", {kSampleMlp, kSampleHidden});
  }
  c.add(name("ffn_down", "mlp.down_proj") + ".weight", {kSampleHidden, kSampleMlp});
}

inline void set_sample_gguf(format::Metadata& m, const SampleShape& s, const std::string& family) {
  const std::string at = s.gguf_arch + ".";
  m.set("general.architecture", s.gguf_arch);
  m.set(at + "block_count", s.layers);
  m.set(at + "context_length", kSampleContext);
  m.set(at + "embedding_length", kSampleHidden);
  m.set(at + "feed_forward_length", kSampleMlp);
  m.set(at + "attention.head_count", kSampleHeads);
  m.set(at + "attention.head_count_kv", kSampleKvHeads);
  m.set(at + "attention.layer_norm_rms_epsilon", 1e-5);
  m.set(at + "attention.key_length", s.head_dim);
  m.set(at + "attention.value_length", s.head_dim);
  m.set(at + "rope.freq_base", 20000.0);
  if (family == "mistral") m.set(at + "attention.sliding_window", int64_t{12});
  if (family == "phi3") m.set(at + "attention.sliding_window", int64_t{16});
  if (family.starts_with("gemma")) m.set(at + "attention.sliding_window", int64_t{12});
  if (family == "gemma2") {
    m.set(at + "attn_logit_softcapping", 5.0);
    m.set(at + "final_logit_softcapping", 8.0);
  }
  if (family == "gemma3") {
    m.set(at + "rope.freq_base_swa", 10000.0);
    m.set(at + "rope.scaling.type", std::string("linear"));
    m.set(at + "rope.scaling.factor", 8.0);
  }
  if (family == "granite") {
    m.set(at + "attention.scale", 0.09);
    m.set(at + "embedding_scale", 3.0);
    m.set(at + "residual_scale", 0.4);
    m.set(at + "logit_scale", 4.0);
  }
  if (family.starts_with("glm")) m.set(at + "rope.dimension_count", int64_t{16});
}

inline void set_sample_hf(format::Metadata& m, const SampleShape& s, const std::string& family) {
  m.set("model_type", s.hf_type);
  m.set("num_hidden_layers", s.layers);
  m.set("max_position_embeddings", kSampleContext);
  m.set("vocab_size", kSampleVocab);
  m.set("hidden_size", kSampleHidden);
  m.set("intermediate_size", kSampleMlp);
  m.set("num_attention_heads", kSampleHeads);
  m.set("num_key_value_heads", kSampleKvHeads);
  m.set("head_dim", s.head_dim);
  m.set("rms_norm_eps", 1e-5);
  m.set("tie_word_embeddings", false);
  const std::string theta = family == "gemma3" ? "rope_parameters.full_attention." : "rope_parameters.";
  m.set(theta + "rope_theta", 20000.0);
  if (family == "mistral") m.set("sliding_window", int64_t{12});
  if (family == "phi3") m.set("sliding_window", int64_t{16});
  if (family == "qwen2" || family == "qwen3") m.set("use_sliding_window", false);
  if (family.starts_with("gemma")) {
    m.set("sliding_window", int64_t{12});
    m.set("query_pre_attn_scalar", s.head_dim);
  }
  if (family == "gemma2") {
    m.set("attn_logit_softcapping", 5.0);
    m.set("final_logit_softcapping", 8.0);
  }
  if (family == "gemma3") {
    m.set(theta + "rope_type", std::string("linear"));
    m.set(theta + "factor", 8.0);
    m.set("rope_parameters.sliding_attention.rope_theta", 10000.0);
  }
  if (family == "granite") {
    m.set("attention_multiplier", 0.09);
    m.set("embedding_multiplier", 3.0);
    m.set("residual_multiplier", 0.4);
    m.set("logits_scaling", 4.0);
  }
  if (family.starts_with("glm")) m.set("rope_parameters.partial_rotary_factor", 0.5);
}

inline SampleModel sample_model(const std::string& family, NameStyle style) {
  const SampleShape shape = sample_shape(family);
  const bool gguf = style == NameStyle::kGguf;
  SampleModel m;
  m.style = style;
  gguf ? set_sample_gguf(m.metadata, shape, family) : set_sample_hf(m.metadata, shape, family);
  m.catalog.add(gguf ? "token_embd.weight" : "model.embed_tokens.weight", {kSampleVocab, kSampleHidden});
  m.catalog.add(gguf ? "output.weight" : "lm_head.weight", {kSampleVocab, kSampleHidden});
  m.catalog.add(gguf ? "output_norm.weight" : "model.norm.weight", {kSampleHidden});
  for (int64_t layer = 0; layer < shape.layers; ++layer) add_sample_layer(m.catalog, shape, gguf, layer);
  return m;
}

inline const std::vector<std::string>& sample_families() {
  static const std::vector<std::string> names = {"llama", "mistral", "qwen2", "qwen3",   "gemma2", "gemma3",
                                                 "phi3",  "smollm3", "olmo2", "granite", "glm4",   "glm"};
  return names;
}

}  // namespace tribar::model
