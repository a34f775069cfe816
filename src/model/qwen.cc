// Qwen2, Qwen2.5 (biases on q, k and v, always) and Qwen3 (norms on the heads of q and k instead).
#include "model/config_hf.h"
#include "model/family.h"

namespace tribar::model {
namespace {

// use_sliding_window switches windows on; layer_types says where, otherwise the layers from max_window_layers on have
// them.
void read_qwen(Fields& f, ModelConfig* c) {
  const bool use = f.flag("use_sliding_window", false);
  const int64_t window = use ? f.integer("sliding_window", {1, kMaxContext}, 0) : 0;
  const int64_t first = f.integer("max_window_layers", {0, kMaxLayers}, 28);
  std::vector<bool> sliding(c->layers.size());
  for (size_t i = 0; i < sliding.size(); ++i) sliding[i] = window > 0 && static_cast<int64_t>(i) >= first;
  set_windows(f, read_layer_types(f, c->layers.size()).value_or(sliding), window, c);
}

Family make_qwen2() {
  Family f;
  f.name = "qwen2";
  f.gguf_arch = "qwen2";
  f.hf_types = {"qwen2"};
  f.qkv_bias = BiasRule::kAlways;
  f.hf.kv_heads_required = true;
  f.hf_refused = {{"attn_logit_softcapping", true}, {"final_logit_softcapping", true}};
  f.gguf_refused = {{"attn_logit_softcapping", true}, {"final_logit_softcapping", true}, {"logit_scale", false, true}};
  f.read_hf = read_qwen;
  return f;
}

Family make_qwen3() {
  Family f = make_qwen2();
  f.name = "qwen3";
  f.gguf_arch = "qwen3";
  f.hf_types = {"qwen3"};
  f.qkv_bias = BiasRule::kConfig;
  f.attn_out_bias = BiasRule::kConfig;
  f.qk_norm = QkNorm::kPerHead;
  f.hf.head_dim = 128;
  return f;
}

}  // namespace

const Family& qwen2_family() {
  static const Family family = make_qwen2();
  return family;
}

const Family& qwen3_family() {
  static const Family family = make_qwen3();
  return family;
}

}  // namespace tribar::model
