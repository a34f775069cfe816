#include "app/model_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tribar::app {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ModelPath : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "model_path_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    write("qwen2.5-0.5b-q4_k_m.gguf", 10);
    write("qwen2.5-1.5b-q4_k_m.gguf", 20);
    write("SmolLM2-135M.gguf", 30);
    write("big-00001-of-00002.gguf", 40);
    write("big-00002-of-00002.gguf", 50);
    write("folder/config.json", 2);
    write("folder/model.safetensors", 70);
    write("notes/readme.txt", 5);
    write(".smollm2.gguf.partial", 5);
    write("readme.txt", 5);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& name, size_t size) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << std::string(size, 'x');
  }
  std::string found(const std::string& model) {
    const Result<std::string> path = resolve_model(model, {root_.string()});
    return path.ok() ? fs::path(*path).filename().string() : path.status().message();
  }
  fs::path root_;
};

TEST_F(ModelPath, ListsFilesSplitModelsAndDirectories) {
  const std::vector<ListedModel> models = list_models({root_.string()});
  std::vector<std::string> lines;
  for (const ListedModel& model : models) lines.push_back(model.name + " " + std::to_string(model.size_bytes));
  EXPECT_THAT(lines, ::testing::ElementsAre("SmolLM2-135M 30", "big 90", "folder 70", "qwen2.5-0.5b-q4_k_m 10",
                                            "qwen2.5-1.5b-q4_k_m 20"));
  EXPECT_TRUE(list_models({(root_ / "absent").string()}).empty());
}

TEST_F(ModelPath, AnEarlierFolderHidesALater) {
  write("second/SmolLM2-135M.gguf", 99);
  const std::vector<ListedModel> models = list_models({(root_ / "second").string(), root_.string()});
  EXPECT_EQ(models.front().size_bytes, 99u);
  EXPECT_EQ(models.size(), 5u);
}

TEST_F(ModelPath, NamesResolveWholeAnyCaseOrByTheirBeginning) {
  EXPECT_EQ(found("SmolLM2-135M"), "SmolLM2-135M.gguf");
  EXPECT_EQ(found("smollm2-135m"), "SmolLM2-135M.gguf");
  EXPECT_EQ(found("smollm2"), "SmolLM2-135M.gguf");
  EXPECT_EQ(found("big"), "big-00001-of-00002.gguf");
  EXPECT_EQ(found("folder"), "folder");
  EXPECT_EQ(found("qwen2.5-1.5"), "qwen2.5-1.5b-q4_k_m.gguf");
  EXPECT_EQ(found(root_.string()), root_.filename().string()) << "a path that exists is taken as it is";
}

TEST_F(ModelPath, WrongNamesGetHelp) {
  EXPECT_EQ(found("qwen2.5"), "several models begin with 'qwen2.5': qwen2.5-0.5b-q4_k_m, qwen2.5-1.5b-q4_k_m");
  EXPECT_EQ(found("SmolLM3-135M"), "no model named 'SmolLM3-135M', did you mean: SmolLM2-135M?");
  EXPECT_EQ(found("something else"), "no model named 'something else'; 'tribar list' shows what there is");
  EXPECT_EQ(found("dir/absent.gguf"), "no such file or directory: dir/absent.gguf");
  EXPECT_THAT(resolve_model("x", {(root_ / "absent").string()}).status().message(),
              HasSubstr("there are no models in"));
  EXPECT_FALSE(resolve_model("", {root_.string()}).ok());
}

TEST_F(ModelPath, FoldersComeFromOptionOrEnvironment) {
  setenv("TRIBAR_MODELS", "/a::/b", 1);
  EXPECT_THAT(model_folders(""), ::testing::ElementsAre("/a", "/b"));
  EXPECT_THAT(model_folders("/given"), ::testing::ElementsAre("/given"));
  unsetenv("TRIBAR_MODELS");
  setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_THAT(model_folders(""), ::testing::ElementsAre("/data/tribar/models"));
  unsetenv("XDG_DATA_HOME");
  setenv("HOME", "/home/me", 1);
  EXPECT_THAT(model_folders(""), ::testing::ElementsAre("/home/me/.local/share/tribar/models"));
}

}  // namespace
}  // namespace tribar::app
