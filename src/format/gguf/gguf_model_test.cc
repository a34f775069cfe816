#include "format/gguf/gguf_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/testing/sample_files.h"

namespace tribar::format {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

struct PartKeys {
  int64_t number = 0;
  int64_t count = 3;
  int64_t tensors = 3;
};

// One part with the tensor "t<number>".
std::vector<std::byte> part(PartKeys keys, const std::string& tensor) {
  GgufWriter writer;
  if (keys.number == 0) writer.set("general.name", std::string("split"));
  writer.set("split.no", keys.number);
  writer.set("split.count", keys.count);
  writer.set("split.tensors.count", keys.tensors);
  const std::vector<std::byte> data = testing::pattern_bytes(16, static_cast<uint32_t>(keys.number));
  writer.add_tensor({tensor, DType::kF32, {4}, data});
  return writer.build();
}

std::string part_name(int number) { return "m-0000" + std::to_string(number) + "-of-00003.gguf"; }

class SplitGguf : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 3; ++i) folder_.write(part_name(i + 1), part({i}, "t" + std::to_string(i)));
  }
  std::string error_of(const std::string& name) {
    const auto files = open_model_files(folder_.path() + "/" + name);
    return files.ok() ? "" : files.status().message();
  }
  TemporaryFolder folder_;
};

TEST_F(SplitGguf, AnyPartOrTheDirectoryOpensAll) {
  for (const std::string& name : {"/" + part_name(1), "/" + part_name(2), "/" + part_name(3), std::string()}) {
    const auto files = open_model_files(folder_.path() + name);
    ASSERT_TRUE(files.ok()) << files.status().message();
    EXPECT_EQ((*files)->container(), Container::kGguf);
    EXPECT_EQ((*files)->files().size(), 3u);
    EXPECT_EQ((*files)->metadata().get_string("general.name"), "split");
    for (int i = 0; i < 3; ++i) {
      const TensorEntry* tensor = (*files)->weights().find("t" + std::to_string(i));
      ASSERT_NE(tensor, nullptr);
      EXPECT_EQ(tensor->file, i);
      EXPECT_EQ(tensor->bytes[0], testing::pattern_bytes(1, static_cast<uint32_t>(i))[0]);
    }
  }
}

TEST_F(SplitGguf, AMissingPartIsNamed) {
  std::filesystem::remove(folder_.path() + "/" + part_name(2));
  EXPECT_THAT(error_of(part_name(1)), HasSubstr("part 2 of 3 is missing: " + part_name(2)));
  EXPECT_THAT(error_of(part_name(3)), HasSubstr("part 2 of 3 is missing"));
}

TEST_F(SplitGguf, PartsThatDoNotBelongTogetherAreRefused) {
  folder_.write(part_name(2), part({.number = 2}, "t1"));
  EXPECT_THAT(error_of(part_name(1)), HasSubstr(part_name(2) + ": is not part 2 of 3"));
  folder_.write(part_name(2), part({.number = 1, .count = 4}, "t1"));
  EXPECT_THAT(error_of(part_name(1)), HasSubstr("is not part 2 of 3"));
  folder_.write(part_name(2), part({.number = 1}, "t0"));
  EXPECT_THAT(error_of(part_name(1)), HasSubstr("the tensor 't0' is in two parts"));
  folder_.write(part_name(2), part({.number = 1}, "t1"));
  folder_.write(part_name(1), part({.number = 0, .tensors = 7}, "t0"));
  EXPECT_THAT(error_of(part_name(1)), HasSubstr("the parts hold 3 tensors, not 7"));
}

TEST_F(SplitGguf, APartUnderAnotherNameIsRefused) {
  folder_.write("renamed.gguf", part({.number = 0}, "t0"));
  EXPECT_THAT(error_of("renamed.gguf"), HasSubstr("is one part of a split model"));
}

}  // namespace
}  // namespace tribar::format
