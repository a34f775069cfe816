#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "graph/pipeline.h"
#include "model/testing/sample_model.h"

namespace tribar::model {
namespace {

using ::testing::HasSubstr;

class BuildModel : public ::testing::TestWithParam<std::tuple<std::string, NameStyle>> {
 protected:
  std::string family() const { return std::get<0>(GetParam()); }
  NameStyle style() const { return std::get<1>(GetParam()); }
  SampleModel sample() const { return sample_model(family(), style()); }
};
INSTANTIATE_TEST_SUITE_P(EveryFamily, BuildModel,
                         ::testing::Combine(::testing::ValuesIn(sample_families()),
                                            ::testing::Values(NameStyle::kGguf, NameStyle::kHuggingFace)),
                         [](const auto& info) {
                           return std::get<0>(info.param) +
                                  (std::get<1>(info.param) == NameStyle::kGguf ? "_gguf" : "_hf");
                         });

TEST_P(BuildModel, GivesAGraphThatVerifies) {
  const SampleModel m = sample();
  const Result<ModelGraph> model = build_model(m.source());
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_TRUE(graph::verify(model->graph).ok()) << graph::verify(model->graph).message();
  EXPECT_EQ(model->info.layers, sample_shape(family()).layers);
  EXPECT_EQ(model->info.vocab_size, kSampleVocab);
  EXPECT_EQ(static_cast<int64_t>(model->graph.kv_layers.size()), model->info.layers);
  EXPECT_EQ(model->graph.value(model->graph.logits).shape.cols, kSampleVocab);

  int64_t elements = 0;
  for (const auto& [name, info] : m.catalog.tensors) {
    int64_t product = 1;
    for (const int64_t size : info.shape) product *= size;
    elements += product;
  }
  EXPECT_EQ(model->info.parameters, elements);
}

TEST_P(BuildModel, NamesTheValuesOfTraces) {
  const Result<ModelGraph> model = build_model(sample().source());
  ASSERT_TRUE(model.ok());
  std::set<std::string> names;
  for (const graph::Value& value : model->graph.values) {
    if (value.kind == graph::ValueKind::kActivation && !value.name.empty()) names.insert(value.name);
  }
  std::set<std::string> expected = {"embed", "final_norm"};
  for (int64_t i = 0; i < model->info.layers; ++i) {
    const std::string layer = "layer." + std::to_string(i);
    expected.insert({layer, layer + ".attn", layer + ".mlp"});
  }
  EXPECT_EQ(names, expected);
}

// A norm, bias or matrix that is dropped must not go unnoticed, in any layer.
TEST_P(BuildModel, EveryTensorIsNeeded) {
  const SampleModel good = sample();
  for (const auto& [name, unused] : good.catalog.tensors) {
    if (name == "output.weight") continue;  // absent means tied in GGUF
    if (style() == NameStyle::kGguf && name.ends_with(".bias") && family().starts_with("glm") &&
        name.starts_with("blk.0.attn_q")) {
      continue;  // whether there are biases at all is read off this one; the others then have no place
    }
    SampleModel bad = sample();
    bad.catalog.tensors.erase(name);
    const Result<ModelGraph> model = build_model(bad.source());
    ASSERT_FALSE(model.ok()) << name;
    EXPECT_THAT(model.status().message(), HasSubstr("tensor")) << name;
  }
}

TEST_P(BuildModel, EveryShapeIsChecked) {
  const SampleModel good = sample();
  for (const auto& [name, info] : good.catalog.tensors) {
    const bool gives_vocab = style() == NameStyle::kGguf && name == "token_embd.weight";
    for (size_t axis = gives_vocab ? 1 : 0; axis < info.shape.size(); ++axis) {
      SampleModel bad = sample();
      bad.catalog.tensors[name].shape[axis] += 2;
      const Result<ModelGraph> model = build_model(bad.source());
      ASSERT_FALSE(model.ok()) << name;
      EXPECT_EQ(model.status().code(), StatusCode::kDataLoss) << model.status().message();
      EXPECT_THAT(model.status().message(), HasSubstr("shape")) << name;
    }
    SampleModel bad = sample();
    bad.catalog.tensors[name].shape.push_back(1);
    EXPECT_FALSE(build_model(bad.source()).ok()) << name;
  }
}

TEST_P(BuildModel, ATensorWithoutAPlaceIsRefused) {
  SampleModel m = sample();
  m.catalog.add(style() == NameStyle::kGguf ? "blk.0.attn_q.scale\n" : "model.layers.0.self_attn.k_scale\n", {1});
  const Result<ModelGraph> model = build_model(m.source());
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), StatusCode::kUnimplemented);
  EXPECT_THAT(model.status().message(), HasSubstr("scale?"));
}

TEST_P(BuildModel, BuffersOfOldFilesAreIgnored) {
  SampleModel m = sample();
  m.catalog.add(
      style() == NameStyle::kGguf ? "blk.0.attn_rot_embd.weight" : "model.layers.0.self_attn.rotary_emb.inv_freq", {8});
  EXPECT_TRUE(build_model(m.source()).ok());
}

TEST_P(BuildModel, VectorsMustBeFloats) {
  SampleModel m = sample();
  m.catalog.tensors[style() == NameStyle::kGguf ? "output_norm.weight" : "model.norm.weight"].dtype = DType::kQ8_0;
  EXPECT_EQ(build_model(m.source()).status().code(), StatusCode::kUnimplemented);
  SampleModel n = sample();
  n.catalog.tensors[style() == NameStyle::kGguf ? "token_embd.weight" : "model.embed_tokens.weight"].dtype =
      DType::kI32;
  EXPECT_EQ(build_model(n.source()).status().code(), StatusCode::kUnimplemented);
}

const graph::WeightSpec* weight_named(const ModelGraph& model, const std::string& name) {
  for (const graph::WeightSpec& weight : model.graph.weights) {
    if (weight.name == name) return &weight;
  }
  return nullptr;
}

TEST(BuildModelWeights, FusedTensorsAreCutIntoRows) {
  for (const NameStyle style : {NameStyle::kGguf, NameStyle::kHuggingFace}) {
    const Result<ModelGraph> model = build_model(sample_model("phi3", style).source());
    ASSERT_TRUE(model.ok());
    const auto begin_of = [&](const char* name) { return weight_named(*model, name)->pieces.at(0).row_begin; };
    EXPECT_EQ(begin_of("layer.1.attn.q"), 0);
    EXPECT_EQ(begin_of("layer.1.attn.k"), 64);
    EXPECT_EQ(begin_of("layer.1.attn.v"), 96);
    EXPECT_EQ(begin_of("layer.1.mlp.gate"), 0);
    EXPECT_EQ(begin_of("layer.1.mlp.up"), kSampleMlp);
    EXPECT_EQ(weight_named(*model, "layer.1.mlp.up")->rows, kSampleMlp);
  }
}

TEST(BuildModelWeights, AnyFamilyMayFuseQkvInGguf) {
  SampleModel m = sample_model("qwen2", NameStyle::kGguf);
  for (int64_t i = 0; i < 4; ++i) {
    const std::string at = "blk." + std::to_string(i) + ".attn_";
    for (const char* part : {"q", "k", "v"}) {
      m.catalog.tensors.erase(at + part + ".weight");
      m.catalog.tensors.erase(at + part + ".bias");
    }
    m.catalog.add(at + "qkv.weight", {128, kSampleHidden});
    m.catalog.add(at + "qkv.bias", {128});
  }
  const Result<ModelGraph> model = build_model(m.source());
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(weight_named(*model, "layer.3.attn.k.bias")->pieces.at(0).row_begin, 64);
}

TEST(BuildModelWeights, TiedHeads) {
  SampleModel gguf = sample_model("llama", NameStyle::kGguf);
  gguf.catalog.tensors.erase("output.weight");
  Result<ModelGraph> model = build_model(gguf.source());
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(weight_named(*model, "head")->pieces.at(0).tensor, "token_embd.weight");
  EXPECT_EQ(weight_named(*model, "head")->role, graph::WeightRole::kMatrix);

  SampleModel hf = sample_model("llama", NameStyle::kHuggingFace);
  hf.metadata.set("tie_word_embeddings", true);
  model = build_model(hf.source());
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(weight_named(*model, "head")->pieces.at(0).tensor, "lm_head.weight") << "what the file has is used";
  hf.catalog.tensors.erase("lm_head.weight");
  model = build_model(hf.source());
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(weight_named(*model, "head")->pieces.at(0).tensor, "model.embed_tokens.weight");
  hf.metadata.set("tie_word_embeddings", false);
  EXPECT_THAT(build_model(hf.source()).status().message(), HasSubstr("lm_head.weight is missing"));
}

TEST(BuildModelWeights, TextPartOfAMultimodalGemma) {
  const SampleModel text = sample_model("gemma3", NameStyle::kHuggingFace);
  for (const std::string prefix : {"language_model.model.", "model.language_model."}) {
    SampleModel m;
    m.style = NameStyle::kHuggingFace;
    for (const auto& [key, value] : text.metadata.entries()) m.metadata.set("text_config." + key, value);
    m.metadata.set("model_type", std::string("gemma3"));
    for (const auto& [name, info] : text.catalog.tensors) {
      const bool in_model = name.starts_with("model.");
      const std::string head = prefix.starts_with("language") ? "language_model." + name : name;
      m.catalog.tensors[in_model ? prefix + name.substr(6) : head] = info;
    }
    m.catalog.add("vision_tower.vision_model.post_layernorm.weight", {8});
    const Result<ModelGraph> model = build_model(m.source());
    EXPECT_TRUE(model.ok()) << model.status().message();
    m.metadata.set("quantization_config.quant_method", std::string("awq"));
    EXPECT_FALSE(build_model(m.source()).ok());
  }
}

TEST(BuildModelWeights, RopeFactorTensors) {
  SampleModel m = sample_model("llama", NameStyle::kGguf);
  m.catalog.add("rope_freqs.weight", {8});
  Result<ModelGraph> model = build_model(m.source());
  ASSERT_TRUE(model.ok());
  EXPECT_NE(weight_named(*model, "rope.factors"), nullptr);

  SampleModel p = sample_model("phi3", NameStyle::kGguf);
  p.catalog.add("rope_factors_short.weight", {8});
  p.catalog.add("rope_factors_long.weight", {8});
  p.metadata.set("phi3.rope.scaling.original_context_length", int64_t{64});
  model = build_model(p.source());
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->info.recompute_length, 64);
}

TEST(BuildModelErrors, NameTheArchitecture) {
  SampleModel m = sample_model("llama", NameStyle::kGguf);
  m.metadata.set("general.architecture", std::string("rwkv7"));
  Status status = build_model(m.source()).status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("rwkv7"));
  EXPECT_THAT(status.message(), HasSubstr("smollm3"));
  m = sample_model("llama", NameStyle::kGguf);
  m.metadata.set("general.type", std::string("adapter"));
  EXPECT_THAT(build_model(m.source()).status().message(), HasSubstr("adapter"));
  const SampleModel empty;
  EXPECT_FALSE(build_model(empty.source()).ok());
}

}  // namespace
}  // namespace tribar::model
