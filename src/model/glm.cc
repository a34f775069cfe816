// GLM-4 in its two generations: "glm" (GLM-4-9B; ChatGLM in GGUF) and "glm4" (GLM-4-0414, Z1), which adds norms after
// each block. Both rotate adjacent pairs in the first part of a head, in every container, and fuse gate and up.
#include "model/family.h"

namespace tribar::model {
namespace {

Family make_glm() {
  Family f;
  f.name = "glm";
  f.gguf_arch = "chatglm";
  f.hf_types = {"glm"};
  f.gguf_pairing = graph::RopePairing::kAdjacent;
  f.hf_pairing = graph::RopePairing::kAdjacent;
  f.partial_rotary = true;
  f.qkv_bias = BiasRule::kConfig;
  f.hf.kv_heads_required = true;
  f.hf.head_dim = 128;
  f.hf.norm_eps = 1.5625e-7;
  f.hf.partial_rotary = 0.5;
  f.hf.attention_bias = true;
  f.hf_refused = {{"sliding_window", true}, {"attn_logit_softcapping", true}, {"final_logit_softcapping", true}};
  f.gguf_refused = {{"attn_logit_softcapping", true}, {"final_logit_softcapping", true}, {"logit_scale", false, true}};
  return f;
}

Family make_glm4() {
  Family f = make_glm();
  f.name = "glm4";
  f.gguf_arch = "glm4";
  f.hf_types = {"glm4"};
  f.post_norms = true;
  f.hf_norms = {"input_layernorm", "post_self_attn_layernorm", "post_attention_layernorm", "post_mlp_layernorm"};
  return f;
}

}  // namespace

const Family& glm_family() {
  static const Family family = make_glm();
  return family;
}

const Family& glm4_family() {
  static const Family family = make_glm4();
  return family;
}

}  // namespace tribar::model
