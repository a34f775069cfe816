#include "format/model_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "format/testing/sample_files.h"

namespace tribar::format {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

std::string error_of(const std::string& path) {
  const auto files = open_model_files(path);
  return files.ok() ? "opened" : files.status().message();
}

std::vector<std::byte> shard(const std::string& tensor) {
  SafetensorsWriter writer;
  const std::vector<std::byte> data = testing::pattern_bytes(8, 1);
  writer.add_tensor({tensor, DType::kF32, {2}, data});
  return writer.build();
}

class Directory : public ::testing::Test {
 protected:
  std::string error() { return error_of(folder_.path()); }
  TemporaryFolder folder_;
};

TEST_F(Directory, OneSafetensorsFileWithItsConfigs) {
  folder_.write("config.json", R"({"model_type":"llama","rope_scaling":{"factor":2.0}})");
  folder_.write("generation_config.json", R"({"eos_token_id":[1,2]})");
  folder_.write("tokenizer.json", "{}");
  folder_.write("chat_template.jinja", "hello");
  folder_.write("model.safetensors", testing::sample_safetensors());
  folder_.write("model.gguf", testing::sample_gguf());  // the twin in the other container does not confuse
  for (const std::string& path : {folder_.path(), folder_.path() + "/", folder_.path() + "/model.safetensors"}) {
    const auto files = open_model_files(path);
    ASSERT_TRUE(files.ok()) << files.status().message();
    EXPECT_EQ((*files)->container(), Container::kSafetensors);
    EXPECT_EQ((*files)->metadata().get_double("rope_scaling.factor"), 2.0);
    EXPECT_EQ((*files)->metadata().get_ints("generation_config.eos_token_id"), (std::vector<int64_t>{1, 2}));
    EXPECT_EQ((*files)->side_file("tokenizer.json"), "{}");
    EXPECT_EQ((*files)->side_file("chat_template.jinja"), "hello");
    EXPECT_EQ((*files)->side_file("tokenizer_config.json"), "");
    EXPECT_EQ((*files)->side_file("config.json/../secret"), "");
    EXPECT_EQ((*files)->weights().entries().size(), 3u);
    EXPECT_EQ((*files)->weights().total_bytes(), 38u);
    (*files)->drop_pages((*files)->weights().find("layer.bias")->bytes);
  }
  const auto gguf = open_model_files(folder_.path() + "/model.gguf");
  ASSERT_TRUE(gguf.ok()) << gguf.status().message();
  EXPECT_EQ((*gguf)->container(), Container::kGguf);
}

TEST_F(Directory, ShardsByIndex) {
  folder_.write("config.json", "{}");
  folder_.write("one.safetensors", shard("a"));
  folder_.write("two.safetensors", shard("b"));
  folder_.write("unrelated.safetensors", shard("c"));
  const std::string index =
      R"({"metadata":{"total_size":16},"weight_map":{"a":"one.safetensors","b":"two.safetensors"}})";
  folder_.write("model.safetensors.index.json", index);
  const auto files = open_model_files(folder_.path());
  ASSERT_TRUE(files.ok()) << files.status().message();
  EXPECT_EQ((*files)->files().size(), 2u);
  EXPECT_EQ((*files)->weights().find("b")->file, 1);
  EXPECT_EQ((*files)->weights().find("c"), nullptr);

  fs::remove(folder_.path() + "/two.safetensors");
  EXPECT_THAT(error(), EndsWith("the shard 'two.safetensors' is named in model.safetensors.index.json but missing"));
  folder_.write("two.safetensors", shard("a"));
  EXPECT_THAT(error(), HasSubstr("two.safetensors: the tensor 'a' is in two files"));
  folder_.write("two.safetensors", shard("z"));
  EXPECT_THAT(error(), HasSubstr("the index says that 'b' is in 'two.safetensors', but it is not"));
  folder_.write("two.safetensors", std::string_view("garbage"));
  EXPECT_THAT(error(), HasSubstr("two.safetensors: the file is too short"));
}

TEST_F(Directory, AnIndexCanNotLeaveTheDirectoryOrBeOfAnotherForm) {
  folder_.write("config.json", "{}");
  for (const std::string name :
       {"../x.safetensors", "/etc/x.safetensors", "x.bin", ".safetensors", "x\\u0000.safetensors"}) {
    folder_.write("model.safetensors.index.json", R"({"weight_map":{"a":")" + name + "\"}}");
    EXPECT_THAT(error(), HasSubstr("which is no shard file name")) << name;
  }
  for (const std::string text :
       {"{}", "[]", "3", R"({"weight_map":{}})", R"({"weight_map":[]})", R"({"weight_map":{"a":1}})",
        R"({"weight_map":{"a":{"b":"c"}}})", R"({"weight_map":"x"})", "{\"weight_map\":"}) {
    folder_.write("model.safetensors.index.json", text);
    EXPECT_THAT(error(), HasSubstr("model.safetensors.index.json: ")) << text;
  }
}

TEST_F(Directory, ShardsByName) {
  folder_.write("config.json", "{}");
  folder_.write("m-00001-of-00002.safetensors", shard("a"));
  EXPECT_THAT(error(), HasSubstr("the shard 'm-00002-of-00002.safetensors' is missing"));
  folder_.write("m-00002-of-00002.safetensors", shard("b"));
  EXPECT_EQ(error(), "opened");
  EXPECT_EQ(error_of(folder_.path() + "/m-00002-of-00002.safetensors"), "opened");
  folder_.write("other.safetensors", shard("c"));
  EXPECT_THAT(error(), HasSubstr("more than one model"));
}

TEST_F(Directory, WhatIsMissingOrDamagedIsNamed) {
  EXPECT_THAT(error(), HasSubstr("the directory holds no model"));
  folder_.write("model.safetensors", testing::sample_safetensors());
  EXPECT_THAT(error(), HasSubstr("config.json: no such file"));
  folder_.write("config.json", "{\"a\":");
  EXPECT_THAT(error(), HasSubstr("config.json: not valid JSON"));
  folder_.write("config.json", "{}");
  folder_.write("generation_config.json", "[]");
  EXPECT_THAT(error(), HasSubstr("generation_config.json: the JSON is an array"));
  fs::remove(folder_.path() + "/generation_config.json");
  EXPECT_EQ(error(), "opened");
  folder_.write("model.safetensors", std::string_view());
  EXPECT_THAT(error(), HasSubstr("model.safetensors: the file is empty"));
}

TEST_F(Directory, OneGgufOrANamedChoice) {
  folder_.write("a.gguf", testing::sample_gguf());
  EXPECT_EQ(error(), "opened");
  folder_.write("b.gguf", testing::sample_gguf());
  EXPECT_THAT(error(), HasSubstr("the directory holds 2 GGUF models, name one of them: a.gguf, b.gguf"));
}

TEST_F(Directory, OtherNamesGoByContent) {
  EXPECT_EQ(error_of(folder_.write("blob", testing::sample_gguf())), "opened");
  folder_.write("config.json", "{}");
  EXPECT_EQ(error_of(folder_.write("weights", testing::sample_safetensors())), "opened");
  EXPECT_THAT(error_of(folder_.write("notes.txt", std::string_view("hello"))),
              HasSubstr("notes.txt: not a model file"));
  EXPECT_THAT(error_of(folder_.path() + "/absent.gguf"), HasSubstr("absent.gguf: no such file or directory"));
  EXPECT_THAT(error_of(""), HasSubstr("no such file or directory"));
}

// The models of ../shared/cases, when they are there: both containers open and hold the same number of bytes or more.
TEST(ModelFilesCases, EveryModelOpensInBothContainers) {
  const char* from_environment = std::getenv("TRIBAR_CASES");
  const fs::path cases =
      from_environment != nullptr ? fs::path(from_environment) : fs::path(TRIBAR_TEST_DATA) / "../../../shared/cases";
  if (!fs::exists(cases / "models")) GTEST_SKIP() << "no " << cases;
  int opened = 0;
  for (const fs::directory_entry& folder : fs::directory_iterator(cases / "models")) {
    if (!fs::exists(folder.path() / "config.json")) continue;
    for (const char* name : {"model.gguf", "model.safetensors"}) {
      if (!fs::exists(folder.path() / name)) continue;
      const auto files = open_model_files((folder.path() / name).string());
      // Packed MXFP4 of safetensors comes as U8, which is refused by name until a model family needs it.
      if (!files.ok() && files.status().code() == StatusCode::kUnimplemented) {
        EXPECT_THAT(files.status().message(), HasSubstr("has the dtype U8"));
        continue;
      }
      ASSERT_TRUE(files.ok()) << files.status().message();
      EXPECT_GT((*files)->weights().entries().size(), 10u);
      ++opened;
    }
  }
  EXPECT_GT(opened, 40);
}

}  // namespace
}  // namespace tribar::format
