// Phi-3, Phi-3.5 and Phi-4: fused qkv and gate_up tensors, a window on all layers, and "longrope": two lists of
// divisors of the rotary frequencies. The long list holds for a whole sequence once it exceeds the original length, so
// that keys cached before are stale then (ModelInfo::recompute_length).
#include "model/config_hf.h"
#include "model/family.h"

namespace tribar::model {
namespace {

void read_phi3_gguf(Fields& f, const TensorCatalog& catalog, ModelConfig* c) {
  const bool has_short = catalog.find("rope_factors_short.weight") != nullptr;
  const bool has_long = catalog.find("rope_factors_long.weight") != nullptr;
  if (!has_short && !has_long) {
    if (f.word("rope.scaling.type", "") == "longrope") f.fail(data_loss("tensor rope_factors_long.weight is missing"));
    return;
  }
  if (has_short != has_long) {
    f.fail(data_loss("rope_factors_short.weight and rope_factors_long.weight are not both there"));
  }
  c->rope.scaling = RopeScaling::kLongRope;
  c->rope.factor_tensors = true;
  c->rope.original_length = f.integer("rope.scaling.original_context_length", {1, kMaxContext}, c->context_length);
}

void read_phi3_hf(Fields& f, ModelConfig* c) {
  const int64_t window = f.integer("sliding_window", {1, kMaxContext}, 0);
  for (LayerConfig& layer : c->layers) layer.window = window;
  const RopeScaling scaling = c->rope.scaling;
  if (scaling != RopeScaling::kNone && scaling != RopeScaling::kLongRope) {
    f.refuse_value("rope_parameters.rope_type", "not longrope");
  }
}

Family make_phi3() {
  Family f;
  f.name = "phi3";
  f.gguf_arch = "phi3";
  f.hf_types = {"phi3"};
  f.partial_rotary = true;
  f.hf.norm_eps = 1e-5;
  f.hf.original_length = 4096;
  f.hf_refused = {{"attn_logit_softcapping", true}, {"final_logit_softcapping", true}};
  f.gguf_refused = {{"attn_logit_softcapping", true}, {"final_logit_softcapping", true}, {"logit_scale", false, true}};
  f.read_gguf = read_phi3_gguf;
  f.read_hf = read_phi3_hf;
  return f;
}

}  // namespace

const Family& phi3_family() {
  static const Family family = make_phi3();
  return family;
}

}  // namespace tribar::model
