// Attributes of operators: what is fixed when the model is built. The formulas are those of kernel/args.h.
// Plain data, comparable, so that common-subexpression elimination can match nodes.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

namespace tribar::graph {

enum class Activation : uint8_t { kSilu, kGeluTanh, kGeluErf, kRelu, kReluSquared };
enum class RopePairing : uint8_t { kHalves, kAdjacent };

struct NoAttrs {
  bool operator==(const NoAttrs&) const = default;
};
struct EmbedAttrs {
  float scale = 1.0f;
  bool operator==(const EmbedAttrs&) const = default;
};
struct LinearAttrs {
  bool operator==(const LinearAttrs&) const = default;
};
struct QuantizeAttrs {
  int64_t group = 32;  // columns that share a scale
  bool operator==(const QuantizeAttrs&) const = default;
};
struct RmsNormAttrs {
  float eps = 1e-6f;
  float weight_offset = 0.0f;
  int64_t groups = 1;
  bool operator==(const RmsNormAttrs&) const = default;
};
struct LayerNormAttrs {
  float eps = 1e-5f;
  bool operator==(const LayerNormAttrs&) const = default;
};
struct AddAttrs {
  float scale_b = 1.0f;
  bool operator==(const AddAttrs&) const = default;
};
struct ScaleAttrs {
  float scale = 1.0f;
  bool operator==(const ScaleAttrs&) const = default;
};
struct SoftcapAttrs {
  float cap = 0.0f;
  bool operator==(const SoftcapAttrs&) const = default;
};
struct ActivateAttrs {
  Activation activation = Activation::kSilu;
  bool operator==(const ActivateAttrs&) const = default;
};
// Frequencies before the optional `factors` weights, which divide them (rope_freqs, rope_factors_* of GGUF files).
struct RopeTableAttrs {
  std::vector<float> inv_freq = {};       // [rot_dim / 2]
  std::vector<float> inv_freq_long = {};  // empty: one list
  float attention_factor = 1.0f;
  float attention_factor_long = 1.0f;
  int64_t switch_length = 0;
  int64_t dynamic_length = 0;
  float dynamic_factor = 1.0f;
  float dynamic_base = 10000.0f;
  bool operator==(const RopeTableAttrs&) const = default;
};
struct RopeAttrs {
  int64_t heads = 1;
  int64_t head_dim = 0;
  RopePairing pairing = RopePairing::kHalves;
  bool operator==(const RopeAttrs&) const = default;
};
struct KvAttrs {
  int32_t layer = 0;  // index into Graph::kv_layers
  bool operator==(const KvAttrs&) const = default;
};
struct AttentionAttrs {
  int32_t layer = 0;
  int64_t heads = 0;
  float scale = 1.0f;
  float softcap = 0.0f;
  int64_t window = 0;  // 0: all
  bool operator==(const AttentionAttrs&) const = default;
};

using Attrs = std::variant<NoAttrs, EmbedAttrs, LinearAttrs, QuantizeAttrs, RmsNormAttrs, LayerNormAttrs, AddAttrs,
                           ScaleAttrs, SoftcapAttrs, ActivateAttrs, RopeTableAttrs, RopeAttrs, KvAttrs, AttentionAttrs>;

}  // namespace tribar::graph
