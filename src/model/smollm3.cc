// SmolLM3: llama without rotation in every fourth layer.
#include "model/config_hf.h"
#include "model/family.h"

namespace tribar::model {
namespace {

constexpr int64_t kInterval = 4;

void skip_rope(int64_t interval, ModelConfig* c) {
  for (size_t i = 0; i < c->layers.size(); ++i) c->layers[i].rope = (static_cast<int64_t>(i) + 1) % interval != 0;
}

// GGUF has no key for the interval: the architecture's name stands for it.
void read_smollm3_gguf(Fields&, const TensorCatalog&, ModelConfig* c) { skip_rope(kInterval, c); }

void read_smollm3_hf(Fields& f, ModelConfig* c) {
  skip_rope(f.integer("no_rope_layer_interval", {1, kMaxLayers}, kInterval), c);
  if (f.has("no_rope_layers")) {  // 1: rotated, 0: not
    const std::vector<int64_t> listed = f.integers("no_rope_layers", {0, 1});
    if (listed.size() < c->layers.size()) f.fail(data_loss("no_rope_layers has too few entries"));
    for (size_t i = 0; i < c->layers.size() && i < listed.size(); ++i) c->layers[i].rope = listed[i] != 0;
  }
  const bool use = f.flag("use_sliding_window", false);
  const int64_t window = use ? f.integer("sliding_window", {1, kMaxContext}, 0) : 0;
  std::vector<bool> sliding(c->layers.size());
  for (size_t i = 0; i < sliding.size(); ++i) sliding[i] = window > 0 && !c->layers[i].rope;
  set_windows(f, read_layer_types(f, c->layers.size()).value_or(sliding), window, c);
}

Family make_smollm3() {
  Family f;
  f.name = "smollm3";
  f.gguf_arch = "smollm3";
  f.hf_types = {"smollm3"};
  f.gguf_pairing = graph::RopePairing::kAdjacent;
  f.qkv_bias = BiasRule::kConfig;
  f.attn_out_bias = BiasRule::kConfig;
  f.mlp_bias = BiasRule::kConfig;
  f.hf.kv_heads_required = true;
  f.hf.rope_theta = 2e6;
  f.hf.tied_head = true;
  f.hf_refused = {{"attn_logit_softcapping", true}, {"final_logit_softcapping", true}};
  f.gguf_refused = {{"attn_logit_softcapping", true}, {"final_logit_softcapping", true}, {"logit_scale", false, true}};
  f.read_gguf = read_smollm3_gguf;
  f.read_hf = read_smollm3_hf;
  return f;
}

}  // namespace

const Family& smollm3_family() {
  static const Family family = make_smollm3();
  return family;
}

}  // namespace tribar::model
