// Hyper-parameters from config.json, in the spelling of transformers 5 (rope_parameters, dtype) or the older one
// (rope_theta, rope_scaling, torch_dtype): both give the same ModelConfig.
//
//   TRIBAR_ASSIGN_OR_RETURN(ModelConfig config, read_hf_config(source, family));
//
// Keys and what they mean: the configuration classes of transformers 5.24. A key with a value that means other
// arithmetic than Tribar's is refused by name; keys of training and generation are not looked at.
// Errors: as build_model.
#pragma once

#include "base/status.h"
#include "model/family.h"

namespace tribar::model {

Result<ModelConfig> read_hf_config(const ModelSource& source, const Family& family);

// Where a rotary configuration is found and what holds if it says nothing.
struct HfRopeSource {
  std::string_view object = "rope_parameters";  // transformers 5
  std::string_view old_object = "rope_scaling";
  std::string_view old_theta = "rope_theta";
  double default_theta = 10000.0;
  double default_partial = 1.0;
  std::optional<int64_t>
      default_original_length;  // of the class; then the key beside the object wins over the one inside
};
RopeConfig read_hf_rope(Fields& fields, const HfRopeSource& where, const ModelConfig& config);

// Which layers `layer_types` marks as sliding_attention; nullopt if there is no such key. Other kinds are refused.
std::optional<std::vector<bool>> read_layer_types(Fields& fields, size_t layers);

// The window of the layers marked in `sliding`; 0 (no window) while a layer is marked is a contradiction.
void set_windows(Fields& fields, const std::vector<bool>& sliding, int64_t window, ModelConfig* config);

}  // namespace tribar::model
