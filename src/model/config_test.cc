#include "model/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "model/config_gguf.h"
#include "model/config_hf.h"
#include "model/testing/sample_model.h"

namespace tribar::model {
namespace {

using ::testing::HasSubstr;

const Family& family_named(const std::string& name) {
  for (const Family* f :
       {&llama_family(), &mistral_family(), &qwen2_family(), &qwen3_family(), &gemma2_family(), &gemma3_family(),
        &phi3_family(), &smollm3_family(), &olmo2_family(), &granite_family(), &glm4_family(), &glm_family()}) {
    if (f->name == name) return *f;
  }
  return llama_family();
}

Result<ModelConfig> read(const SampleModel& m, const std::string& family) {
  if (m.style == NameStyle::kHuggingFace) return read_hf_config(m.source(), family_named(family));
  return read_gguf_config(m.source(), family_named(family == "mistral" ? "llama" : family));
}

ModelConfig read_ok(const SampleModel& m, const std::string& family) {
  Result<ModelConfig> config = read(m, family);
  EXPECT_TRUE(config.ok()) << family << ": " << config.status().message();
  return config.ok() ? *config : ModelConfig{};
}

class EveryFamily : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Config, EveryFamily, ::testing::ValuesIn(sample_families()),
                         [](const auto& info) { return info.param; });

TEST_P(EveryFamily, BothContainersGiveTheSameConfig) {
  ModelConfig gguf = read_ok(sample_model(GetParam(), NameStyle::kGguf), GetParam());
  const ModelConfig hf = read_ok(sample_model(GetParam(), NameStyle::kHuggingFace), GetParam());
  // What the containers store differently.
  gguf.family = hf.family;
  gguf.vocab_size = hf.vocab_size;
  gguf.tied_head = hf.tied_head;
  gguf.rope_pairing = hf.rope_pairing;
  gguf.norm_weight_offset = hf.norm_weight_offset;
  EXPECT_FLOAT_EQ(gguf.attention_scale, hf.attention_scale);
  gguf.attention_scale = hf.attention_scale;
  EXPECT_EQ(gguf.rope, hf.rope);
  EXPECT_EQ(gguf.local_rope, hf.local_rope);
  EXPECT_EQ(gguf.layers, hf.layers);
  EXPECT_TRUE(gguf == hf);
}

TEST_P(EveryFamily, BothSpellingsOfConfigJsonGiveTheSameConfig) {
  const SampleModel now = sample_model(GetParam(), NameStyle::kHuggingFace);
  SampleModel before;
  before.style = NameStyle::kHuggingFace;
  before.catalog = now.catalog;
  for (const auto& [key, value] : now.metadata.entries()) {
    std::string old = key;
    if (key == "rope_parameters.rope_theta") old = "rope_theta";
    if (key == "rope_parameters.partial_rotary_factor") old = "partial_rotary_factor";
    if (key == "rope_parameters.full_attention.rope_theta") old = "rope_theta";
    if (key == "rope_parameters.full_attention.rope_type") old = "rope_scaling.rope_type";
    if (key == "rope_parameters.full_attention.factor") old = "rope_scaling.factor";
    if (key == "rope_parameters.sliding_attention.rope_theta") old = "rope_local_base_freq";
    before.metadata.set(old, value);
  }
  EXPECT_TRUE(read_ok(now, GetParam()) == read_ok(before, GetParam()));
}

// Whatever one key says, the answer is a config or a Status; a hostile size never becomes an allocation.
TEST_P(EveryFamily, HostileValuesGiveAStatus) {
  const std::vector<format::MetaValue> hostile = {int64_t{0},
                                                  int64_t{-1},
                                                  int64_t{1} << 60,
                                                  std::numeric_limits<int64_t>::min(),
                                                  std::numeric_limits<double>::quiet_NaN(),
                                                  std::numeric_limits<double>::infinity(),
                                                  -1e300,
                                                  std::string("x\n\x1b[31m"),
                                                  std::vector<int64_t>{},
                                                  true,
                                                  std::vector<std::string>{"full_attention"}};
  for (const NameStyle style : {NameStyle::kGguf, NameStyle::kHuggingFace}) {
    const SampleModel good = sample_model(GetParam(), style);
    for (const auto& [key, unused] : good.metadata.entries()) {
      for (const format::MetaValue& value : hostile) {
        SampleModel bad = sample_model(GetParam(), style);
        bad.metadata.set(key, value);
        const Result<ModelGraph> model = build_model(bad.source());
        EXPECT_EQ(model.status().message().find('\n'), std::string::npos) << model.status().message();
      }
    }
  }
}

TEST_P(EveryFamily, SizesAreRequiredAndBounded) {
  const std::string arch = sample_shape(GetParam()).gguf_arch + ".";
  const std::vector<std::string> gguf_keys = {arch + "block_count", arch + "embedding_length",
                                              arch + "feed_forward_length", arch + "attention.head_count",
                                              arch + "attention.key_length"};
  const std::vector<std::string> hf_keys = {"num_hidden_layers", "hidden_size", "intermediate_size",
                                            "num_attention_heads", "head_dim"};
  for (const NameStyle style : {NameStyle::kGguf, NameStyle::kHuggingFace}) {
    for (const std::string& key : style == NameStyle::kGguf ? gguf_keys : hf_keys) {
      for (const int64_t value : {int64_t{0}, int64_t{-4}, int64_t{1} << 60}) {
        SampleModel m = sample_model(GetParam(), style);
        m.metadata.set(key, value);
        const Result<ModelConfig> config = read(m, GetParam());
        ASSERT_FALSE(config.ok()) << key << " " << value;
        EXPECT_EQ(config.status().code(), StatusCode::kDataLoss);
        EXPECT_THAT(config.status().message(), HasSubstr(key));
      }
    }
  }
}

// Switches that no family computes are refused in every family, by name.
TEST_P(EveryFamily, ForeignSwitchesAreRefused) {
  const std::vector<std::pair<std::string, format::MetaValue>> hf = {
      {"quantization_config.quant_method", std::string("gptq")},
      {"clip_qkv", 8.0},
      {"num_local_experts", int64_t{8}},
      {"use_bidirectional_attention", true},
      {"attention_chunk_size", int64_t{8192}},
      {"hidden_act", std::string("mish")},
      {"hidden_activation", std::string("mish")},
      {"rope_scaling.rope_type", std::string("spiral")},
      {"rope_scaling.mrope_section", std::vector<int64_t>{16, 24, 24}},
      {"layer_types",
       std::vector<std::string>(static_cast<size_t>(sample_shape(GetParam()).layers), "linear_attention")}};
  for (const auto& [key, value] : hf) {
    const bool gemma = GetParam().starts_with("gemma");
    if (key == (gemma ? "hidden_act" : "hidden_activation")) continue;  // not this family's key
    SampleModel m = sample_model(GetParam(), NameStyle::kHuggingFace);
    m.metadata.set(key, value);
    const Result<ModelConfig> config = read(m, GetParam());
    ASSERT_FALSE(config.ok()) << key;
    EXPECT_EQ(config.status().code(), StatusCode::kUnimplemented) << key;
    EXPECT_THAT(config.status().message(), HasSubstr(key.substr(0, key.find('.')))) << key;
  }
  const std::vector<std::pair<std::string, format::MetaValue>> gguf = {
      {"expert_count", int64_t{8}},          {"attention.clamp_kqv", 8.0},
      {"attention.causal", false},           {"rope.scaling.type", std::string("spiral")},
      {"attention.max_alibi_bias", 8.0},     {"rope.dimension_sections", std::vector<int64_t>{16, 24, 24, 0}},
      {"attention.value_length", int64_t{8}}};
  for (const auto& [key, value] : gguf) {
    SampleModel m = sample_model(GetParam(), NameStyle::kGguf);
    const std::string full = sample_shape(GetParam()).gguf_arch + "." + key;
    m.metadata.set(full, value);
    const Result<ModelConfig> config = read(m, GetParam());
    ASSERT_FALSE(config.ok()) << key;
    EXPECT_EQ(config.status().code(), StatusCode::kUnimplemented) << key;
    EXPECT_THAT(config.status().message(), HasSubstr(full));
  }
}

ModelConfig with(const std::string& family, const std::vector<std::pair<std::string, format::MetaValue>>& changes) {
  SampleModel m = sample_model(family, NameStyle::kHuggingFace);
  for (const auto& [key, value] : changes) m.metadata.set(key, value);
  return read_ok(m, family);
}

std::vector<int64_t> windows(const ModelConfig& c) {
  std::vector<int64_t> out;
  for (const LayerConfig& layer : c.layers) out.push_back(layer.window);
  return out;
}

TEST(HfConfig, QwenWindowsFollowMaxWindowLayersOrLayerTypes) {
  using Windows = std::vector<int64_t>;
  for (const std::string family : {"qwen2", "qwen3"}) {
    EXPECT_EQ(windows(with(family, {{"sliding_window", int64_t{9}}, {"max_window_layers", int64_t{0}}})),
              Windows(4, 0));
    EXPECT_EQ(
        windows(with(
            family, {{"use_sliding_window", true}, {"sliding_window", int64_t{9}}, {"max_window_layers", int64_t{3}}})),
        (Windows{0, 0, 0, 9}));
    EXPECT_EQ(windows(with(family, {{"use_sliding_window", true},
                                    {"sliding_window", int64_t{9}},
                                    {"layer_types", std::vector<std::string>{"sliding_attention", "full_attention",
                                                                             "sliding_attention", "full_attention"}}})),
              (Windows{9, 0, 9, 0}));
    SampleModel contradiction = sample_model(family, NameStyle::kHuggingFace);
    contradiction.metadata.set("layer_types", std::vector<std::string>(4, "sliding_attention"));
    EXPECT_FALSE(read(contradiction, family).ok());
  }
}

TEST(HfConfig, LayerTypesMustAgreeWhereTheyAreNotRead) {
  SampleModel m = sample_model("mistral", NameStyle::kHuggingFace);
  m.metadata.set("layer_types", std::vector<std::string>(2, "sliding_attention"));
  EXPECT_TRUE(read(m, "mistral").ok());
  m.metadata.set("layer_types", std::vector<std::string>(2, "full_attention"));
  EXPECT_FALSE(read(m, "mistral").ok());
}

TEST(HfConfig, SmolLm3ReadsItsNoRopeLists) {
  const auto rotated = [](const ModelConfig& c) {
    std::vector<bool> out;
    for (const LayerConfig& layer : c.layers) out.push_back(layer.rope);
    return out;
  };
  EXPECT_EQ(rotated(with("smollm3", {})), (std::vector<bool>{true, true, true, false, true}));
  EXPECT_EQ(rotated(with("smollm3", {{"no_rope_layer_interval", int64_t{2}}})),
            (std::vector<bool>{true, false, true, false, true}));
  EXPECT_EQ(rotated(with("smollm3", {{"no_rope_layers", std::vector<int64_t>{0, 1, 1, 1, 1}}})),
            (std::vector<bool>{false, true, true, true, true}));
  EXPECT_EQ(windows(with("smollm3", {{"use_sliding_window", true}, {"sliding_window", int64_t{7}}})),
            (std::vector<int64_t>{0, 0, 0, 7, 0}));
}

TEST(HfConfig, BiasesFollowTheirSwitches) {
  EXPECT_TRUE(with("llama", {{"attention_bias", true}}).qkv_bias);
  EXPECT_TRUE(with("llama", {{"attention_bias", true}}).attn_out_bias);
  EXPECT_TRUE(with("llama", {{"mlp_bias", true}}).mlp_bias);
  EXPECT_FALSE(with("glm4", {}).attn_out_bias);
  EXPECT_FALSE(with("glm4", {{"attention_bias", false}}).qkv_bias);
  for (const char* family : {"mistral", "phi3"}) {
    SampleModel m = sample_model(family, NameStyle::kHuggingFace);
    m.metadata.set("attention_bias", true);
    EXPECT_EQ(read(m, family).status().code(), StatusCode::kUnimplemented) << family;
  }
}

TEST(HfConfig, ActivationsByName) {
  EXPECT_EQ(with("llama", {{"hidden_act", std::string("gelu_new")}}).activation, graph::Activation::kGeluTanh);
  EXPECT_EQ(with("llama", {{"hidden_act", std::string("gelu")}}).activation, graph::Activation::kGeluErf);
  EXPECT_EQ(with("llama", {{"hidden_act", std::string("relu2")}}).activation, graph::Activation::kReluSquared);
  EXPECT_EQ(with("gemma2", {}).activation, graph::Activation::kGeluTanh);
}

TEST(HfConfig, RopeKindsOfConfigJson) {
  const std::string s = "rope_scaling.";
  const auto type = [&](const char* name) {
    return std::pair<std::string, format::MetaValue>(s + "type", std::string(name));
  };
  RopeConfig rope = with("llama", {type("linear"), {s + "factor", 4.0}}).rope;
  EXPECT_EQ(rope.scaling, RopeScaling::kLinear);
  EXPECT_EQ(rope.factor, 4.0);

  rope = with("llama", {type("dynamic"), {s + "factor", 2.0}}).rope;
  EXPECT_EQ(rope.scaling, RopeScaling::kDynamic);
  EXPECT_EQ(rope.original_length, kSampleContext);

  rope = with("qwen2", {type("yarn"), {s + "original_max_position_embeddings", int64_t{64}}}).rope;
  EXPECT_EQ(rope.scaling, RopeScaling::kYarn);
  EXPECT_EQ(rope.factor, 4.0) << "without a factor, context over original length";
  EXPECT_NEAR(rope.attention_factor, 1.1386294, 1e-6);
  EXPECT_EQ(rope.beta_fast, 32.0);
  rope = with("qwen2", {type("yarn"),
                        {s + "factor", 4.0},
                        {s + "mscale", 0.707},
                        {s + "mscale_all_dim", 1.0},
                        {s + "beta_fast", 16.0},
                        {s + "truncate", false}})
             .rope;
  EXPECT_NEAR(rope.attention_factor, (0.0707 * 1.3862943611 + 1) / (0.13862943611 + 1), 1e-6);
  EXPECT_EQ(rope.beta_fast, 16.0);
  EXPECT_FALSE(rope.truncate);

  rope = with("llama", {type("llama3"),
                        {s + "factor", 8.0},
                        {s + "low_freq_factor", 1.0},
                        {s + "high_freq_factor", 4.0},
                        {"original_max_position_embeddings", int64_t{32}}})
             .rope;
  EXPECT_EQ(rope.scaling, RopeScaling::kLlama3);
  EXPECT_EQ(rope.original_length, 32) << "the key beside the object wins";
}

TEST(HfConfig, Phi3LongRope) {
  const std::vector<double> eight(8, 1.5);
  const std::vector<std::pair<std::string, format::MetaValue>> keys = {
      {"rope_scaling.type", std::string("su")},
      {"rope_scaling.short_factor", eight},
      {"rope_scaling.long_factor", eight},
      {"original_max_position_embeddings", int64_t{64}}};
  const RopeConfig rope = with("phi3", keys).rope;
  EXPECT_EQ(rope.scaling, RopeScaling::kLongRope);
  EXPECT_EQ(rope.original_length, 64);
  EXPECT_NEAR(rope.attention_factor, 1.1547005, 1e-6) << "sqrt(1 + ln 4 / ln 64)";

  SampleModel m = sample_model("phi3", NameStyle::kHuggingFace);
  for (const auto& [key, value] : keys) m.metadata.set(key, value);
  m.metadata.set("rope_scaling.long_factor", std::vector<double>(7, 1.5));
  EXPECT_THAT(read(m, "phi3").status().message(), HasSubstr("rope_scaling.long_factor"));
  m.metadata.set("rope_scaling.type", std::string("linear"));
  m.metadata.set("rope_scaling.factor", 2.0);
  EXPECT_EQ(read(m, "phi3").status().code(), StatusCode::kUnimplemented);
}

TEST(HfConfig, PartialRotationOnlyWhereTheFamilyHasIt) {
  EXPECT_EQ(with("phi3", {{"rope_parameters.partial_rotary_factor", 0.75}}).rope.rot_dim, 12);
  SampleModel m = sample_model("llama", NameStyle::kHuggingFace);
  m.metadata.set("partial_rotary_factor", 0.5);
  EXPECT_EQ(read(m, "llama").status().code(), StatusCode::kUnimplemented);
}

TEST(HfConfig, GemmaWithoutCaps) {
  SampleModel m = sample_model("gemma2", NameStyle::kHuggingFace);
  SampleModel bare;
  bare.style = m.style;
  for (const auto& [key, value] : m.metadata.entries()) {
    if (!key.ends_with("softcapping")) bare.metadata.set(key, value);
  }
  const ModelConfig c = read_ok(bare, "gemma2");
  EXPECT_EQ(c.attention_softcap, 0.0f);
  EXPECT_EQ(c.final_softcap, 0.0f);
  EXPECT_EQ(c.embed_scale, 8.0f);
}

TEST(GgufConfig, WindowPatterns) {
  SampleModel m = sample_model("qwen3", NameStyle::kGguf);
  m.metadata.set("qwen3.attention.sliding_window", int64_t{9});
  EXPECT_EQ(windows(read_ok(m, "qwen3")), std::vector<int64_t>(4, 9));
  m.metadata.set("qwen3.attention.sliding_window_pattern", int64_t{2});
  EXPECT_EQ(windows(read_ok(m, "qwen3")), (std::vector<int64_t>{9, 0, 9, 0}));
  m.metadata.set("qwen3.attention.sliding_window_pattern", std::vector<bool>{false, false, true, true});
  EXPECT_EQ(windows(read_ok(m, "qwen3")), (std::vector<int64_t>{0, 0, 9, 9}));
  m.metadata.set("qwen3.attention.sliding_window_pattern", std::vector<bool>{true});
  EXPECT_FALSE(read(m, "qwen3").ok());
}

TEST(GgufConfig, Yarn) {
  SampleModel m = sample_model("qwen2", NameStyle::kGguf);
  m.metadata.set("qwen2.rope.scaling.type", std::string("yarn"));
  m.metadata.set("qwen2.rope.scaling.factor", 4.0);
  m.metadata.set("qwen2.rope.scaling.original_context_length", int64_t{64});
  SampleModel hf = sample_model("qwen2", NameStyle::kHuggingFace);
  hf.metadata.set("rope_parameters.rope_type", std::string("yarn"));
  hf.metadata.set("rope_parameters.factor", 4.0);
  hf.metadata.set("rope_parameters.original_max_position_embeddings", int64_t{64});
  EXPECT_EQ(read_ok(m, "qwen2").rope, read_ok(hf, "qwen2").rope);
  m.metadata.set("qwen2.rope.scaling.yarn_attn_factor", 1.5);
  EXPECT_EQ(read_ok(m, "qwen2").rope.attention_factor, 1.5);
}

TEST(GgufConfig, Phi3FactorTensors) {
  SampleModel m = sample_model("phi3", NameStyle::kGguf);
  m.catalog.add("rope_factors_short.weight", {8});
  EXPECT_FALSE(read(m, "phi3").ok());
  m.catalog.add("rope_factors_long.weight", {8});
  m.metadata.set("phi3.rope.scaling.original_context_length", int64_t{64});
  m.metadata.set("phi3.rope.scaling.attn_factor", 1.2);
  const ModelConfig c = read_ok(m, "phi3");
  EXPECT_EQ(c.rope.scaling, RopeScaling::kLongRope);
  EXPECT_EQ(c.rope.original_length, 64);
  EXPECT_EQ(c.rope.attention_factor, 1.2);
}

TEST(GgufConfig, PerLayerArraysMustBeUniform) {
  SampleModel m = sample_model("llama", NameStyle::kGguf);
  m.metadata.set("llama.attention.head_count_kv", std::vector<int64_t>{2, 2});
  EXPECT_EQ(read_ok(m, "llama").kv_heads, 2);
  m.metadata.set("llama.attention.head_count_kv", std::vector<int64_t>{2, 4});
  EXPECT_EQ(read(m, "llama").status().code(), StatusCode::kUnimplemented);
}

TEST(Config, HeadsMustDivide) {
  SampleModel m = sample_model("llama", NameStyle::kGguf);
  m.metadata.set("llama.attention.head_count_kv", int64_t{3});
  EXPECT_EQ(read(m, "llama").status().code(), StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tribar::model
