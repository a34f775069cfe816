// ModelConfig: the hyper-parameters of a decoder, whatever the container they came from.
//
//   TRIBAR_ASSIGN_OR_RETURN(ModelConfig config, read_config(source, family));
//   config.layers[5].window
//
// Filled by config_gguf.cc or config_hf.cc and the family's own file, then checked by validate(): after that every
// field can be used without further checks. A family differs from another by these values alone; block/ turns them into
// a graph. Threads: plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/attrs.h"

namespace tribar::model {

enum class RopeScaling : uint8_t { kNone, kLinear, kDynamic, kYarn, kLlama3, kLongRope };

// Rotary frequencies. Formulas: block/rope.cc.
struct RopeConfig {
  int64_t rot_dim = 0;  // values of a head that are rotated, from its start
  double theta = 10000.0;
  RopeScaling scaling = RopeScaling::kNone;
  double factor = 1.0;
  int64_t original_length = 0;        // tokens the model was trained on before scaling (not for kNone, kLinear)
  double attention_factor = 1.0;      // multiplies cos and sin
  double beta_fast = 32.0;            // kYarn: rotations within original_length above which nothing is interpolated
  double beta_slow = 1.0;             // kYarn: and below which everything is
  bool truncate = true;               // kYarn: round that range to whole dimensions
  double low_freq_factor = 1.0;       // kLlama3
  double high_freq_factor = 4.0;      // kLlama3
  std::vector<double> short_factors;  // kLongRope: [rot_dim / 2] divisors, unless they are tensors of the file
  std::vector<double> long_factors;
  bool factor_tensors = false;  // divisors come as tensors: rope_freqs, or rope_factors_short and _long for kLongRope
  bool operator==(const RopeConfig&) const = default;
};

// RMS norm of queries and keys before rotation.
enum class QkNorm : uint8_t { kNone, kPerHead, kAllHeads };

struct LayerConfig {
  int64_t window = 0;  // attention sees this many tokens, its own included; 0: all
  bool rope = true;
  bool local_rope = false;  // uses ModelConfig::local_rope
  bool operator==(const LayerConfig&) const = default;
};

struct ModelConfig {
  std::string family;
  int64_t vocab_size = 0;
  int64_t context_length = 0;
  int64_t hidden_size = 0;
  int64_t mlp_size = 0;
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t head_dim = 0;
  std::vector<LayerConfig> layers;

  graph::Activation activation = graph::Activation::kSilu;
  float norm_eps = 1e-6f;
  float norm_weight_offset = 0.0f;  // 1 where the file stores w - 1
  QkNorm qk_norm = QkNorm::kNone;
  bool pre_norms = true;    // before attention and before the MLP
  bool post_norms = false;  // after each, before the residual is added

  bool qkv_bias = false;
  bool attn_out_bias = false;
  bool mlp_bias = false;
  bool tied_head = false;  // the embedding table is the output matrix where the file has none

  graph::RopePairing rope_pairing = graph::RopePairing::kHalves;
  RopeConfig rope;
  RopeConfig local_rope;  // of layers with local_rope

  float embed_scale = 1.0f;
  float residual_scale = 1.0f;
  float attention_scale = 0.0f;  // 0: 1 / sqrt(head_dim), set by validate()
  float logit_scale = 1.0f;
  float attention_softcap = 0.0f;  // 0: none
  float final_softcap = 0.0f;

  bool operator==(const ModelConfig&) const = default;
};

// Limits on what a file may claim, far above every published model, low enough that products of two fit in int64.
inline constexpr int64_t kMaxLayers = 1024;
inline constexpr int64_t kMaxHeads = 1 << 14;
inline constexpr int64_t kMaxHeadDim = 1 << 13;
inline constexpr int64_t kMaxWidth = 1 << 22;
inline constexpr int64_t kMaxVocab = 1 << 24;
inline constexpr int64_t kMaxContext = int64_t{1} << 30;

// Divisibility and agreement between fields; sets the default attention scale.
Status validate(ModelConfig* config);

}  // namespace tribar::model
