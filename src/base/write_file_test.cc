#include "base/write_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/mapped_file.h"

namespace tribar {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST(WriteFile, ReplacesTheWholeFileAndLeavesNothingBehind) {
  std::string folder = testing::TempDir() + "write_file_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/data";
  ASSERT_TRUE(write_file(path, bytes_of("a longer first content")).ok());
  ASSERT_TRUE(write_file(path, bytes_of("second")).ok());
  EXPECT_EQ(*read_text_file(path, 100), "second");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  EXPECT_EQ(write_file(folder + "/absent/data", bytes_of("x")).code(), StatusCode::kInvalidArgument);
  // The target is a directory: the temporary file must go again.
  ASSERT_TRUE(std::filesystem::create_directory(folder + "/taken"));
  EXPECT_FALSE(write_file(folder + "/taken", bytes_of("x")).ok());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tribar
