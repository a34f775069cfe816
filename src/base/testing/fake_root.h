// FakeRoot: a pretended file system root for tests of what reads /proc and /sys.
//
//   FakeRoot root("topology");
//   root.write("proc/cpuinfo", "model name : X\n");
//   read_cpu_topology(root.path(), {0});
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace tribar {

class FakeRoot {
 public:
  explicit FakeRoot(const std::string& name) : path_(std::filesystem::path(testing::TempDir()) / ("root_" + name)) {
    std::filesystem::remove_all(path_);
  }
  ~FakeRoot() { std::filesystem::remove_all(path_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::filesystem::path& path, std::string_view text) const {
    std::filesystem::create_directories((path_ / path).parent_path());
    std::ofstream(path_ / path) << text;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tribar
