// Hyper-parameters from GGUF metadata ("llama.attention.head_count").
//
//   TRIBAR_ASSIGN_OR_RETURN(ModelConfig config, read_gguf_config(source, family));
//
// Names and defaults of the keys: GGUF specification and llama.cpp's converters. Keys that mean arithmetic which is not
// implemented are refused by name; sizes come from the tensors where GGUF has no key (vocabulary).
// Errors: as build_model.
#pragma once

#include "base/status.h"
#include "model/family.h"

namespace tribar::model {

Result<ModelConfig> read_gguf_config(const ModelSource& source, const Family& family);

// Sliding windows of all layers: attention.sliding_window tokens (0 or absent: `default_window`) on the layers that
// attention.sliding_window_pattern names: an array of flags, or a period whose last layer sees everything (0: all have
// windows).
void read_gguf_windows(Fields& fields, int64_t default_window, int64_t default_period, ModelConfig* config);

// RoPE of the whole model: rope.freq_base, rope.dimension_count, rope.scaling.*.
RopeConfig read_gguf_rope(Fields& fields, const ModelConfig& config);

}  // namespace tribar::model
