// The table of model families, and build_model, which picks one by what the file says it is.
#include <algorithm>
#include <array>

#include "model/config_gguf.h"
#include "model/config_hf.h"
#include "model/decoder.h"

namespace tribar::model {
namespace {

constexpr std::array kFamilies = {
    llama_family, mistral_family, qwen2_family, qwen3_family,   gemma2_family, gemma3_family,
    phi3_family,  smollm3_family, olmo2_family, granite_family, glm4_family,   glm_family,
};

// Parts of multimodal checkpoints that the text model does not need.
constexpr std::array<std::string_view, 4> kVisionPrefixes = {"vision_tower.", "multi_modal_projector.",
                                                             "model.vision_tower.", "model.multi_modal_projector."};

bool is_named(const Family& family, NameStyle style, std::string_view name) {
  if (style == NameStyle::kGguf) return !family.gguf_arch.empty() && family.gguf_arch == name;
  for (const std::string_view type : family.hf_types) {
    if (type == name) return true;
  }
  return false;
}

Result<const Family*> find_family(const ModelSource& source) {
  const std::string_view key = source.names == NameStyle::kGguf ? "general.architecture" : "model_type";
  TRIBAR_ASSIGN_OR_RETURN(const std::string name, source.metadata->require_string(key));
  for (const auto family : kFamilies) {
    if (is_named(family(), source.names, name)) return &family();
  }
  std::string known;
  for (const std::string& family : model_families()) known += (known.empty() ? "" : ", ") + family;
  return unimplemented(std::string(key) + " is " + format::describe(name) +
                       ", which is not supported; known: " + known);
}

Result<ModelConfig> read_config(const ModelSource& source, const Family& family) {
  const std::string type(source.metadata->get_string("general.type").value_or("model"));
  if (source.names == NameStyle::kGguf && type != "model") {
    return unimplemented("general.type is " + format::describe(type) + ", expected 'model'");
  }
  return source.names == NameStyle::kGguf ? read_gguf_config(source, family) : read_hf_config(source, family);
}

// Checkpoints put the decoder under different names, plain or inside a multimodal wrapper.
std::string checkpoint_prefix(const TensorCatalog& catalog) {
  for (const std::string_view prefix : {"model.", "language_model.model.", "model.language_model."}) {
    if (catalog.find(std::string(prefix) + "embed_tokens.weight") != nullptr) return std::string(prefix);
  }
  return "model.";
}

ModelInfo describe(const ModelConfig& c, int64_t parameters) {
  ModelInfo info;
  info.family = c.family;
  info.vocab_size = c.vocab_size;
  info.context_length = c.context_length;
  info.hidden_size = c.hidden_size;
  info.layers = static_cast<int64_t>(c.layers.size());
  info.heads = c.heads;
  info.kv_heads = c.kv_heads;
  info.parameters = parameters;
  if (c.rope.scaling == RopeScaling::kLongRope) info.recompute_length = c.rope.original_length;
  return info;
}

}  // namespace

std::vector<std::string> model_families() {
  std::vector<std::string> names;
  for (const auto family : kFamilies) names.emplace_back(family().name);
  return names;
}

Result<ModelGraph> build_model(const ModelSource& source) {
  TRIBAR_ASSIGN_OR_RETURN(const Family* family, find_family(source));
  TRIBAR_ASSIGN_OR_RETURN(ModelConfig config, read_config(source, *family));
  ModelGraph model;
  graph::Builder builder(&model.graph);
  const std::string prefix = source.names == NameStyle::kGguf ? "" : checkpoint_prefix(*source.catalog);
  WeightTable weights(*source.catalog, TensorNames(source.names, family->hf_norms, prefix), &builder);
  // GGUF has no reliable key for it. A missing or misshapen table is reported when it is fetched.
  if (config.vocab_size == 0) config.vocab_size = std::max<int64_t>(weights.matrix_rows({Role::kEmbedding}), 1);
  BlockContext context{config, builder, weights};
  TRIBAR_RETURN_IF_ERROR(build_decoder(context));

  const bool wrapped = source.names == NameStyle::kHuggingFace && source.metadata->contains_object("text_config");
  TRIBAR_RETURN_IF_ERROR(weights.check_all_used(wrapped ? std::span<const std::string_view>(kVisionPrefixes)
                                                        : std::span<const std::string_view>()));
  model.info = describe(config, weights.parameters());
  return model;
}

}  // namespace tribar::model
