#include "model/tensor_names.h"

namespace tribar::model {
namespace {

bool of_model(Role role) { return role < Role::kAttentionNorm; }

std::string_view gguf_stem(Role role) {
  switch (role) {
    case Role::kEmbedding: return "token_embd";
    case Role::kHead: return "output";
    case Role::kFinalNorm: return "output_norm";
    case Role::kRopeFactors: return "rope_freqs";
    case Role::kRopeFactorsShort: return "rope_factors_short";
    case Role::kRopeFactorsLong: return "rope_factors_long";
    case Role::kAttentionNorm: return "attn_norm";
    case Role::kAfterAttentionNorm: return "post_attention_norm";
    case Role::kMlpNorm: return "ffn_norm";
    case Role::kAfterMlpNorm: return "post_ffw_norm";
    case Role::kQ: return "attn_q";
    case Role::kK: return "attn_k";
    case Role::kV: return "attn_v";
    case Role::kQkv: return "attn_qkv";
    case Role::kAttentionOut: return "attn_output";
    case Role::kQNorm: return "attn_q_norm";
    case Role::kKNorm: return "attn_k_norm";
    case Role::kGate: return "ffn_gate";
    case Role::kUp:
    case Role::kGateUp: return "ffn_up";  // of kGateUp twice as many rows where there is no ffn_gate
    case Role::kDown: return "ffn_down";
  }
  return "";
}

std::string_view hf_stem(Role role, const HfNormNames& norms) {
  switch (role) {
    case Role::kEmbedding: return "embed_tokens";
    case Role::kHead: return "lm_head";
    case Role::kFinalNorm: return "norm";
    case Role::kRopeFactors:
    case Role::kRopeFactorsShort:
    case Role::kRopeFactorsLong: return "";  // in config.json
    case Role::kAttentionNorm: return norms.attention;
    case Role::kAfterAttentionNorm: return norms.after_attention;
    case Role::kMlpNorm: return norms.mlp;
    case Role::kAfterMlpNorm: return norms.after_mlp;
    case Role::kQ: return "self_attn.q_proj";
    case Role::kK: return "self_attn.k_proj";
    case Role::kV: return "self_attn.v_proj";
    case Role::kQkv: return "self_attn.qkv_proj";
    case Role::kAttentionOut: return "self_attn.o_proj";
    case Role::kQNorm: return "self_attn.q_norm";
    case Role::kKNorm: return "self_attn.k_norm";
    case Role::kGate: return "mlp.gate_proj";
    case Role::kUp: return "mlp.up_proj";
    case Role::kGateUp: return "mlp.gate_up_proj";
    case Role::kDown: return "mlp.down_proj";
  }
  return "";
}

std::string_view display_stem(Role role) {
  switch (role) {
    case Role::kEmbedding: return "embed";
    case Role::kHead: return "head";
    case Role::kFinalNorm: return "final_norm";
    case Role::kRopeFactors: return "rope.factors";
    case Role::kRopeFactorsShort: return "rope.factors_short";
    case Role::kRopeFactorsLong: return "rope.factors_long";
    case Role::kAttentionNorm: return "attn.norm";
    case Role::kAfterAttentionNorm: return "attn.after_norm";
    case Role::kMlpNorm: return "mlp.norm";
    case Role::kAfterMlpNorm: return "mlp.after_norm";
    case Role::kQ: return "attn.q";
    case Role::kK: return "attn.k";
    case Role::kV: return "attn.v";
    case Role::kQkv: return "attn.qkv";
    case Role::kAttentionOut: return "attn.out";
    case Role::kQNorm: return "attn.q_norm";
    case Role::kKNorm: return "attn.k_norm";
    case Role::kGate: return "mlp.gate";
    case Role::kUp: return "mlp.up";
    case Role::kGateUp: return "mlp.gate_up";
    case Role::kDown: return "mlp.down";
  }
  return "";
}

}  // namespace

std::string TensorNames::gguf(WeightKey key) const {
  const std::string stem(gguf_stem(key.role));
  return of_model(key.role) ? stem : "blk." + std::to_string(key.layer) + "." + stem;
}

std::string TensorNames::hugging_face(WeightKey key) const {
  const std::string stem(hf_stem(key.role, hf_norms_));
  if (stem.empty()) return "";
  if (key.role == Role::kHead) {
    // "model." belongs to the decoder alone; wrappers put the head beside it: "language_model.lm_head".
    constexpr std::string_view kWrapped = "language_model.model.";
    return hf_prefix_ == kWrapped ? "language_model." + stem : stem;
  }
  return of_model(key.role) ? hf_prefix_ + stem : hf_prefix_ + "layers." + std::to_string(key.layer) + "." + stem;
}

std::string TensorNames::of(WeightKey key, std::string_view part) const {
  std::string name = style_ == NameStyle::kGguf ? gguf(key) : hugging_face(key);
  return name.empty() ? name : name + "." + std::string(part);
}

bool TensorNames::ignorable(std::string_view name) const {
  return style_ == NameStyle::kGguf ? name.ends_with(".attn_rot_embd.weight") : name.ends_with(".rotary_emb.inv_freq");
}

std::string display_name(WeightKey key) {
  const std::string stem(display_stem(key.role));
  return of_model(key.role) ? stem : "layer." + std::to_string(key.layer) + "." + stem;
}

}  // namespace tribar::model
