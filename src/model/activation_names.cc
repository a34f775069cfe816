#include "model/activation_names.h"

#include <array>
#include <utility>

namespace tribar::model {

std::optional<graph::Activation> activation_from_name(std::string_view name) {
  using graph::Activation;
  static constexpr std::array<std::pair<std::string_view, Activation>, 11> kNames = {{
      {"silu", Activation::kSilu},
      {"swish", Activation::kSilu},
      {"gelu_pytorch_tanh", Activation::kGeluTanh},
      {"gelu_python_tanh", Activation::kGeluTanh},
      {"gelu_new", Activation::kGeluTanh},
      {"gelu_fast", Activation::kGeluTanh},
      {"gelu_accurate", Activation::kGeluTanh},
      {"gelu", Activation::kGeluErf},
      {"gelu_python", Activation::kGeluErf},
      {"relu", Activation::kRelu},
      {"relu2", Activation::kReluSquared},
  }};
  for (const auto& [known, activation] : kNames) {
    if (known == name) return activation;
  }
  return std::nullopt;
}

graph::Activation read_activation(Fields& fields, std::string_view key, graph::Activation fallback) {
  const std::string name = fields.word(key, "");
  if (name.empty()) return fallback;
  const std::optional<graph::Activation> activation = activation_from_name(name);
  if (!activation) fields.refuse_word(key, name);
  return activation.value_or(fallback);
}

}  // namespace tribar::model
