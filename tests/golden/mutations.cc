#include "golden/mutations.h"

#include <algorithm>

namespace tribar::golden {
namespace {

using format::MetaValue;
using Words = std::vector<std::string>;
using Numbers = std::vector<double>;

// A key and its new value; nothing: the key goes.
struct Change {
  std::string key;
  std::optional<MetaValue> value;
};

struct Switch {
  std::string family;
  std::string label;
  std::vector<Change> hf;    // spelling of transformers 5
  std::vector<Change> gguf;  // empty: GGUF has no key for it
};

const Numbers kShort = {1.0, 1.0, 1.05, 1.05, 1.1, 1.1, 1.2, 1.2, 1.3, 1.3, 1.4, 1.5};
const Numbers kShortFull = {1.0, 1.0, 1.05, 1.05, 1.1, 1.1, 1.2, 1.2, 1.3, 1.3, 1.4, 1.5, 1.3, 1.3, 1.4, 1.5};
const Numbers kLongFull = {1.0, 1.1, 1.3, 1.6, 2.0, 2.5, 3.0, 3.6, 4.2, 5.0, 6.0, 7.0, 4.2, 5.0, 6.0, 7.0};

MetaValue word(const char* text) { return std::string(text); }
MetaValue integer(int64_t value) { return value; }

const std::vector<Switch> kSwitches = {
    {"llama", "rope theta 5e5", {{"rope_parameters.rope_theta", 5e5}}, {{"llama.rope.freq_base", 5e5}}},
    {"llama", "rms eps 1e-2", {{"rms_norm_eps", 1e-2}}, {{"llama.attention.layer_norm_rms_epsilon", 1e-2}}},
    {"llama3", "no llama3 rope scaling", {{"rope_parameters.rope_type", word("default")}}, {}},
    {"llama3", "factor 32", {{"rope_parameters.factor", 32.0}}, {}},
    {"mistral", "no sliding window", {{"sliding_window", {}}}, {{"llama.attention.sliding_window", {}}}},
    {"mistral", "window 13", {{"sliding_window", integer(13)}}, {{"llama.attention.sliding_window", integer(13)}}},
    {"qwen2",
     "window applied",
     {{"use_sliding_window", true}, {"layer_types", {}}},
     {{"qwen2.attention.sliding_window", integer(16)}}},
    {"gemma2", "no attention cap", {{"attn_logit_softcapping", {}}}, {}},
    {"gemma2", "no final cap", {{"final_logit_softcapping", {}}}, {}},
    {"gemma2", "no window", {{"sliding_window", integer(4096)}}, {{"gemma2.attention.sliding_window", {}}}},
    {"gemma2",
     "windows on odd layers",
     {{"layer_types", Words{"full_attention", "sliding_attention", "full_attention", "sliding_attention"}}},
     {{"gemma2.attention.sliding_window_pattern", std::vector<bool>{false, true, false, true}}}},
    {"gemma2", "exact gelu", {{"hidden_activation", word("gelu")}}, {{"gemma2.hidden_activation", word("gelu")}}},
    {"gemma3",
     "no linear factor",
     {{"rope_parameters.full_attention.rope_type", word("default")}},
     {{"gemma3.rope.scaling.type", word("none")}}},
    {"gemma3",
     "local theta 1e6",
     {{"rope_parameters.sliding_attention.rope_theta", 1e6}},
     {{"gemma3.rope.freq_base_swa", 1e6}}},
    {"gemma3", "no window", {{"sliding_window", integer(4096)}}, {{"gemma3.attention.sliding_window", integer(4096)}}},
    {"phi3", "no window", {{"sliding_window", {}}}, {{"phi3.attention.sliding_window", integer(0)}}},
    {"phi3_longrope",
     "no attention factor",
     {{"rope_parameters.attention_factor", 1.0}},
     {{"phi3.rope.scaling.attn_factor", {}}}},
    {"phi3_longrope",
     "short factors only",
     {{"rope_parameters.long_factor", kShort}},
     {{"phi3.rope.scaling.original_context_length", integer(128)}}},
    {"phi3_longrope",
     "full rotary",
     {{"rope_parameters.partial_rotary_factor", 1.0},
      {"rope_parameters.short_factor", kShortFull},
      {"rope_parameters.long_factor", kLongFull}},
     {}},
    {"smollm3", "rope everywhere", {{"no_rope_layers", std::vector<int64_t>{1, 1, 1, 1, 1}}}, {}},
    {"granite", "embedding_multiplier", {{"embedding_multiplier", 1.0}}, {{"granite.embedding_scale", {}}}},
    {"granite", "logits_scaling", {{"logits_scaling", 1.0}}, {{"granite.logit_scale", {}}}},
    {"granite", "residual_multiplier", {{"residual_multiplier", 1.0}}, {{"granite.residual_scale", {}}}},
    {"granite", "attention_multiplier", {{"attention_multiplier", 0.25}}, {{"granite.attention.scale", {}}}},
    {"glm4",
     "full rotary",
     {{"rope_parameters.partial_rotary_factor", 1.0}},
     {{"glm4.rope.dimension_count", integer(32)}}},
    {"glm",
     "full rotary",
     {{"rope_parameters.partial_rotary_factor", 1.0}},
     {{"chatglm.rope.dimension_count", integer(32)}}},
};

MutationResult flip(const std::string& family, const std::string& label, Spelling spelling, GoldenFile* file) {
  const auto found = std::find_if(kSwitches.begin(), kSwitches.end(),
                                  [&](const Switch& s) { return s.family == family && s.label == label; });
  if (found == kSwitches.end()) return MutationResult::kUnknown;
  const std::vector<Change>& changes = spelling == Spelling::kGguf ? found->gguf : found->hf;
  for (const Change& change : changes) {
    if (change.value) {
      file->set(change.key, *change.value);
    } else {
      file->erase(change.key);
    }
  }
  return changes.empty() ? MutationResult::kNotExpressible : MutationResult::kDone;
}

// "model.layers.12.mlp" -> "model.layers.N.mlp", likewise "blk.12."
std::string without_layer(const std::string& name, const std::string& prefix) {
  if (!name.starts_with(prefix)) return name;
  const size_t dot = name.find('.', prefix.size());
  return dot == std::string::npos ? name : prefix + "N" + name.substr(dot);
}

// Norm weights become what leaves the normed value alone, everything else zero.
MutationResult drop(std::string weight, const GoldenData& data, Spelling spelling, GoldenFile* file) {
  if (const size_t star = weight.find('*'); star != std::string::npos) weight.replace(star, 1, "N");
  const bool norm = weight.ends_with("norm.weight");
  const bool stored_minus_one = file->metadata().get_string("model_type").value_or("").starts_with("gemma");
  MutationResult result = MutationResult::kUnknown;
  for (const std::string& name : file->names()) {
    std::string from = without_layer(name, "model.layers.");
    if (spelling == Spelling::kGguf) {
      const auto mapped = data.gguf_from.find(without_layer(name, "blk."));
      from = mapped == data.gguf_from.end() ? "" : mapped->second;
    }
    if (from != weight) continue;
    file->fill(name, norm && !stored_minus_one ? 1.0f : 0.0f);
    result = MutationResult::kDone;
  }
  return result;
}

}  // namespace

MutationResult mutate(const std::string& family, const std::string& label, const GoldenData& data, Spelling spelling,
                      GoldenFile* file) {
  constexpr std::string_view kWithout = "without ";
  constexpr std::string_view kConfig = "config: ";
  if (label.starts_with(kWithout)) return drop(label.substr(kWithout.size()), data, spelling, file);
  if (label.starts_with(kConfig)) return flip(family, label.substr(kConfig.size()), spelling, file);
  return MutationResult::kUnknown;
}

}  // namespace tribar::golden
