#include "base/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tribar {
namespace {

class MappedFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "mapped_file_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& content) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  std::filesystem::path folder_;
};

TEST_F(MappedFileTest, MapsTheWholeFileAndSurvivesMoves) {
  const std::string path = write("data", std::string(10000, 'x') + "end");
  Result<MappedFile> opened = MappedFile::open(path);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  MappedFile file = std::move(*opened);
  ASSERT_EQ(file.bytes().size(), 10003u);
  file.drop_pages(file.bytes());
  file.drop_pages(file.bytes().subspan(5000, 3));
  file.drop_pages({});
  const std::string elsewhere(10000, 'y');
  file.drop_pages(std::as_bytes(std::span(elsewhere)));
  EXPECT_EQ(elsewhere[5000], 'y');
  EXPECT_EQ(static_cast<char>(file.bytes()[10002]), 'd');
  EXPECT_EQ(static_cast<char>(file.bytes()[0]), 'x');
}

TEST_F(MappedFileTest, WhatIsNoReadableFileIsAStatus) {
  EXPECT_EQ(MappedFile::open((folder_ / "absent").string()).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(MappedFile::open(folder_.string()).status().message(), "is a directory");
  EXPECT_EQ(MappedFile::open(write("empty", "")).status().code(), StatusCode::kDataLoss);
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(MappedFile::open(pipe).status().message(), "is not a regular file");  // and does not wait for a writer
}

TEST_F(MappedFileTest, TextFilesHaveALimit) {
  const std::string path = write("text", "0123456789");
  EXPECT_EQ(*read_text_file(path, 10), "0123456789");
  EXPECT_EQ(read_text_file(path, 9).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(*read_text_file(write("nothing", ""), 10), "");
  EXPECT_EQ(read_text_file((folder_ / "absent").string(), 10).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace tribar
