#include "app/inspect_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "format/testing/sample_files.h"

namespace tribar::app {
namespace {

using ::testing::HasSubstr;

class InspectReport : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = folder_.write("sample.gguf", format::testing::sample_gguf());
    auto opened = format::open_model_files(path_);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    files_ = std::move(*opened);
  }
  format::testing::TemporaryFolder folder_;
  std::string path_;
  std::unique_ptr<format::ModelFiles> files_;
};

TEST_F(InspectReport, TextNamesEverything) {
  const std::string text = inspect_text(*files_, "{{ messages }}\n\x1b[31m", InspectLength::kShort);
  EXPECT_THAT(text, HasSubstr(path_ + " (gguf, "));
  EXPECT_THAT(text, HasSubstr("\n  general.architecture  sample\n"));
  EXPECT_THAT(text, HasSubstr("[3] one, , three and more than fifteen bytes\n"));
  EXPECT_THAT(text, HasSubstr("tensor.Q4_K    Q4_K   2 x 256  288 B\n"));
  EXPECT_THAT(text, HasSubstr("\n  Q4_K     1 tensors, 288 B\n"));
  EXPECT_THAT(text, HasSubstr("chat template\n  {{ messages }}\n  \\x1b[31m\n"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(inspect_text(*files_, "", InspectLength::kShort), HasSubstr("no chat template"));
}

TEST_F(InspectReport, JsonSaysTheSame) {
  const boost::json::value json = boost::json::parse(inspect_json(*files_, "a\nb\xff", InspectLength::kShort));
  EXPECT_EQ(json.at("container").as_string(), "gguf");
  EXPECT_EQ(json.at("files").at(0).at("path").as_string(), std::string_view(path_));
  EXPECT_EQ(json.at("metadata").at("sample.negative").as_int64(), -7);
  EXPECT_EQ(json.at("metadata").at("sample.precise").as_double(), 0.1);
  EXPECT_EQ(json.at("metadata").at("sample.flags").as_array().size(), 3u);
  EXPECT_EQ(json.at("tensors").as_array().size(), files_->weights().entries().size());
  EXPECT_EQ(json.at("types").at("Q4_K").at("size_bytes").as_int64(), 288);
  EXPECT_EQ(json.at("chat_template").as_string(), "a\nb\xef\xbf\xbd");
}

TEST_F(InspectReport, LongArraysAreCutUnlessFull) {
  format::GgufWriter writer;
  writer.set("tokens", std::vector<std::string>(100, "t"));
  const auto files = format::open_model_files(folder_.write("long.gguf", writer.build()));
  ASSERT_TRUE(files.ok());
  EXPECT_THAT(inspect_text(**files, "", InspectLength::kShort), HasSubstr("[100] t, t, t, t, t, t, t, t, ...\n"));
  const boost::json::value cut = boost::json::parse(inspect_json(**files, "", InspectLength::kShort));
  EXPECT_EQ(cut.at("metadata").at("tokens").at("count").as_int64(), 100);
  EXPECT_EQ(cut.at("metadata").at("tokens").at("first").as_array().size(), 8u);
  const boost::json::value full = boost::json::parse(inspect_json(**files, "", InspectLength::kFull));
  EXPECT_EQ(full.at("metadata").at("tokens").as_array().size(), 100u);
  EXPECT_TRUE(full.at("chat_template").is_null());
}

TEST(FormatBytes, ThreeDigits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1 kB");
  EXPECT_EQ(format_bytes(98'362'432), "98.4 MB");
  EXPECT_EQ(format_bytes(999'700'000), "1 GB");
}

}  // namespace
}  // namespace tribar::app
