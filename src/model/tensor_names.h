// Names of weights in model files: what a tensor does (Role) to what it is called in a GGUF file or a checkpoint.
//
//   TensorNames names(NameStyle::kGguf, family.hf_norms, "model.");
//   names.of({Role::kQ, 3}, "weight")   // "blk.3.attn_q.weight", "model.layers.3.self_attn.q_proj.weight"
//
// Threads: immutable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/family.h"

namespace tribar::model {

enum class Role : uint8_t {
  kEmbedding,
  kHead,
  kFinalNorm,
  kRopeFactors,
  kRopeFactorsShort,
  kRopeFactorsLong,  // of the model
  kAttentionNorm,
  kAfterAttentionNorm,
  kMlpNorm,
  kAfterMlpNorm,  // of a layer
  kQ,
  kK,
  kV,
  kQkv,
  kAttentionOut,
  kQNorm,
  kKNorm,
  kGate,
  kUp,
  kGateUp,
  kDown,
};

// A role, and the layer for roles of a layer.
struct WeightKey {
  Role role = Role::kEmbedding;
  int64_t layer = -1;
};

class TensorNames {
 public:
  // `hf_prefix` stands before "embed_tokens" and "layers" in checkpoints.
  TensorNames(NameStyle style, HfNormNames hf_norms, std::string hf_prefix)
      : style_(style), hf_norms_(hf_norms), hf_prefix_(std::move(hf_prefix)) {}

  // `part` is "weight" or "bias". Empty if files of this style have no such tensor.
  std::string of(WeightKey key, std::string_view part) const;
  // Tensors that carry no weight: buffers that old checkpoints saved along.
  bool ignorable(std::string_view name) const;

 private:
  std::string gguf(WeightKey key) const;
  std::string hugging_face(WeightKey key) const;

  NameStyle style_;
  HfNormNames hf_norms_;
  std::string hf_prefix_;
};

// The name for people, in messages, dumps and graphs: "layer.3.attn.q".
std::string display_name(WeightKey key);

}  // namespace tribar::model
