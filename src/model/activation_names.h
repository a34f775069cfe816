// Activation functions by the names that config.json and GGUF files use.
//
//   config.activation = read_activation(fields, "hidden_act", graph::Activation::kSilu);
//
// Names and formulas: transformers, activations.py. Several names stand for the same formula there.
#pragma once

#include <optional>
#include <string_view>

#include "graph/attrs.h"
#include "model/fields.h"

namespace tribar::model {

std::optional<graph::Activation> activation_from_name(std::string_view name);

// The activation named by `key`, `fallback` if the key is absent; an unknown name is refused.
graph::Activation read_activation(Fields& fields, std::string_view key, graph::Activation fallback);

}  // namespace tribar::model
