// OLMo 2: norms after attention and MLP instead of before, and q and k normed over all heads at once.
#include "model/family.h"

namespace tribar::model {
namespace {

Family make_olmo2() {
  Family f;
  f.name = "olmo2";
  f.gguf_arch = "olmo2";
  f.hf_types = {"olmo2"};
  f.qk_norm = QkNorm::kAllHeads;
  f.pre_norms = false;
  f.post_norms = true;
  f.qkv_bias = BiasRule::kConfig;
  f.attn_out_bias = BiasRule::kConfig;
  f.hf_norms = {"", "post_attention_layernorm", "", "post_feedforward_layernorm"};
  f.hf.norm_eps = 1e-5;
  f.hf_refused = {{"sliding_window", true}, {"attn_logit_softcapping", true}, {"final_logit_softcapping", true}};
  // A window in GGUF means OLMo 3, whose windowed layers rotate differently.
  f.gguf_refused = {{"attention.sliding_window", true},
                    {"attn_logit_softcapping", true},
                    {"final_logit_softcapping", true},
                    {"logit_scale", false, true}};
  return f;
}

}  // namespace

const Family& olmo2_family() {
  static const Family family = make_olmo2();
  return family;
}

}  // namespace tribar::model
