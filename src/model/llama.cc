// Llama 2 to 3.3, everything that shares its architecture, and Mistral.
//
// The plain decoder of this project: RMS norm before attention and MLP, grouped key-value heads, rotary positions over
// the whole head, SiLU-gated MLP. decoder.cc is its forward pass. Other families are deviations from it.
// GGUF converters reorder the rows of q and k so that rotated pairs are adjacent; checkpoints keep them half a head
// apart.
#include "model/config_hf.h"
#include "model/family.h"

namespace tribar::model {
namespace {

Family make_llama() {
  Family f;
  f.name = "llama";
  f.gguf_arch = "llama";
  f.hf_types = {"llama"};
  f.gguf_pairing = graph::RopePairing::kAdjacent;
  f.qkv_bias = BiasRule::kConfig;
  f.attn_out_bias = BiasRule::kConfig;
  f.mlp_bias = BiasRule::kConfig;
  f.hf_refused = {{"sliding_window", true}, {"attn_logit_softcapping", true}, {"final_logit_softcapping", true}};
  f.gguf_refused = {{"attn_logit_softcapping", true}, {"final_logit_softcapping", true}, {"logit_scale", false, true}};
  return f;
}

// Windows on all layers. GGUF files of Mistral say "llama"; attention.sliding_window is read there.
void read_mistral(Fields& f, ModelConfig* c) {
  const int64_t window = f.integer("sliding_window", {1, kMaxContext}, 0);
  for (LayerConfig& layer : c->layers) layer.window = window;
}

Family make_mistral() {
  Family f = make_llama();
  f.name = "mistral";
  f.gguf_arch = "";
  f.hf_types = {"mistral"};
  f.qkv_bias = BiasRule::kNever;
  f.attn_out_bias = BiasRule::kNever;
  f.mlp_bias = BiasRule::kNever;
  f.hf.kv_heads_required = true;
  f.hf_refused = {{"attn_logit_softcapping", true}, {"final_logit_softcapping", true}};
  f.read_hf = read_mistral;
  return f;
}

}  // namespace

const Family& llama_family() {
  static const Family family = make_llama();
  return family;
}

const Family& mistral_family() {
  static const Family family = make_mistral();
  return family;
}

}  // namespace tribar::model
