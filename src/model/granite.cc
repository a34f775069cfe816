// Granite 3 and 4 (dense): llama with multipliers on embeddings, residuals, attention scores and logits.
#include "model/family.h"

namespace tribar::model {
namespace {

constexpr RealRange kMultiplier{1e-6, 1e6};

// Logits are divided by it, in both containers.
void divide_logits(double divisor, ModelConfig* c) { c->logit_scale = static_cast<float>(1.0 / divisor); }

void read_granite_gguf(Fields& f, const TensorCatalog&, ModelConfig* c) {
  const double divisor = f.real("logit_scale", {0.0, 1e6}, 1.0);
  divide_logits(divisor == 0.0 ? 1.0 : divisor, c);
}

void read_granite_hf(Fields& f, ModelConfig* c) {
  c->embed_scale = static_cast<float>(f.real("embedding_multiplier", kMultiplier, 1.0));
  c->residual_scale = static_cast<float>(f.real("residual_multiplier", kMultiplier, 1.0));
  c->attention_scale = static_cast<float>(f.real("attention_multiplier", kMultiplier, 1.0));
  divide_logits(f.real("logits_scaling", kMultiplier, 1.0), c);
}

Family make_granite() {
  Family f;
  f.name = "granite";
  f.gguf_arch = "granite";
  f.hf_types = {"granite"};
  f.gguf_pairing = graph::RopePairing::kAdjacent;
  f.qkv_bias = BiasRule::kConfig;
  f.attn_out_bias = BiasRule::kConfig;
  f.mlp_bias = BiasRule::kConfig;
  f.hf_refused = {{"sliding_window", true}, {"attn_logit_softcapping", true}, {"final_logit_softcapping", true}};
  f.gguf_refused = {{"attn_logit_softcapping", true}, {"final_logit_softcapping", true}};
  f.read_gguf = read_granite_gguf;
  f.read_hf = read_granite_hf;
  return f;
}

}  // namespace

const Family& granite_family() {
  static const Family family = make_granite();
  return family;
}

}  // namespace tribar::model
