// Family: what makes one model family different from another, as data. Each family file (llama.cc, gemma.cc, ...)
// defines its own, registry.cc lists them; decoder.cc turns the resulting ModelConfig into a graph.
//
// A new family of known blocks is one file, its test and one line of registry.cc.
// Threads: constants.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/config.h"
#include "model/fields.h"
#include "model/model.h"

namespace tribar::model {

// Whether a projection has a bias. kConfig: as the configuration says (attention_bias, mlp_bias), in GGUF as layer 0
// has one.
enum class BiasRule : uint8_t { kNever, kAlways, kConfig };

// Names of the layer norms in published checkpoints, below "model.layers.N."; empty for a norm that the family lacks.
struct HfNormNames {
  std::string_view attention = "input_layernorm";
  std::string_view after_attention = "";
  std::string_view mlp = "post_attention_layernorm";
  std::string_view after_mlp = "";
};

// What the family's configuration class assumes where config.json says nothing.
struct HfDefaults {
  std::optional<int64_t> heads;
  std::optional<int64_t> kv_heads;  // empty: as many as heads, unless kv_heads_required
  bool kv_heads_required = false;
  int64_t head_dim = 0;  // 0: hidden_size / num_attention_heads
  std::optional<int64_t> context_length;
  double norm_eps = 1e-6;
  double rope_theta = 10000.0;
  double partial_rotary = 1.0;
  std::optional<int64_t> original_length;  // of longrope, where the class has the key beside rope_parameters
  bool tied_head = false;
  bool attention_bias = false;
  std::string_view activation_key = "hidden_act";
  std::string_view activation = "silu";
};

struct Family {
  std::string_view name;
  std::string_view gguf_arch;              // empty: GGUF files of this family carry another one's name
  std::vector<std::string_view> hf_types;  // model_type in config.json

  // Rotated pairs. Converters reorder the rows of q and k of some families, so that it depends on the container.
  graph::RopePairing gguf_pairing = graph::RopePairing::kHalves;
  graph::RopePairing hf_pairing = graph::RopePairing::kHalves;
  bool partial_rotary = false;  // honours partial_rotary_factor
  bool own_rope = false;        // read_hf reads the rotary keys itself

  graph::Activation gguf_activation = graph::Activation::kSilu;
  QkNorm qk_norm = QkNorm::kNone;
  bool pre_norms = true;
  bool post_norms = false;
  float hf_norm_weight_offset = 0.0f;  // GGUF files hold the sum
  BiasRule qkv_bias = BiasRule::kNever;
  BiasRule attn_out_bias = BiasRule::kNever;
  BiasRule mlp_bias = BiasRule::kNever;
  HfNormNames hf_norms;
  HfDefaults hf;

  // Keys that the family's configuration may carry and that are refused, beside those common to all.
  std::vector<RefusedKey> gguf_refused;
  std::vector<RefusedKey> hf_refused;

  // The family's own keys; called after the common ones are read. May be null.
  void (*read_gguf)(Fields& fields, const TensorCatalog& catalog, ModelConfig* config) = nullptr;
  void (*read_hf)(Fields& fields, ModelConfig* config) = nullptr;
};

const Family& llama_family();
const Family& mistral_family();
const Family& qwen2_family();
const Family& qwen3_family();
const Family& gemma2_family();
const Family& gemma3_family();
const Family& phi3_family();
const Family& smollm3_family();
const Family& olmo2_family();
const Family& granite_family();
const Family& glm4_family();
const Family& glm_family();

}  // namespace tribar::model
