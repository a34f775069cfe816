// Small valid files and the pieces of damaged ones, for tests and fuzzers of this module.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/write_file.h"
#include "format/byte_builder.h"
#include "format/gguf/gguf_types.h"
#include "format/gguf/gguf_writer.h"
#include "format/safetensors/safetensors_writer.h"
#include "tensor/dtype.h"

namespace tribar::format::testing {

// `count` bytes that are a different sequence for each `seed`.
inline std::vector<std::byte> pattern_bytes(size_t count, uint32_t seed) {
  std::vector<std::byte> out(count);
  for (std::byte& byte : out) {
    seed = seed * 1664525u + 1013904223u;
    byte = static_cast<std::byte>(seed >> 24);
  }
  return out;
}

// A GGUF file with a key of every kind and a tensor of every type, two rows each.
inline std::vector<std::byte> sample_gguf() {
  GgufWriter writer;
  writer.set("general.architecture", std::string("sample"));
  writer.set("sample.yes", true);
  writer.set("sample.small", int64_t{7});
  writer.set("sample.negative", int64_t{-7});
  writer.set("sample.large", int64_t{1} << 40);
  writer.set("sample.real", 0.5);
  writer.set("sample.precise", 0.1);
  writer.set("sample.flags", std::vector<bool>{true, false, true});
  writer.set("sample.numbers", std::vector<int64_t>{1, 2, 3});
  writer.set("sample.reals", std::vector<double>{0.25, -1e30});
  writer.set("sample.words", std::vector<std::string>{"one", "", "three and more than fifteen bytes"});
  std::vector<std::vector<std::byte>> data;
  data.reserve(static_cast<size_t>(DType::kQ8Act));
  for (int i = 0; i < static_cast<int>(DType::kQ8Act); ++i) {
    data.push_back(
        pattern_bytes(static_cast<size_t>(*row_bytes(static_cast<DType>(i), 256)) * 2, static_cast<uint32_t>(i)));
  }
  for (size_t i = 0; i < data.size(); ++i) {
    const DType type = static_cast<DType>(i);
    writer.add_tensor({"tensor." + std::string(dtype_name(type)), type, {2, 256}, data[i]});
  }
  return writer.build();
}

inline std::vector<std::byte> sample_safetensors() {
  SafetensorsWriter writer;
  writer.set("format", "pt");
  const std::vector<std::byte> wide = pattern_bytes(24, 1);
  const std::vector<std::byte> half = pattern_bytes(12, 2);
  const std::vector<std::byte> scalar = pattern_bytes(2, 3);
  writer.add_tensor({"layer.weight", DType::kBF16, {2, 3}, half});
  writer.add_tensor({"layer.bias", DType::kF32, {6}, wide});
  writer.add_tensor({"scalar", DType::kF16, {}, scalar});
  return writer.build();
}

// GGUF field by field, right or wrong.
class RawGguf {
 public:
  ByteBuilder out;

  RawGguf& header(uint64_t tensors, uint64_t keys, uint32_t version = gguf::kMaxVersion) {
    out.text(gguf::kMagic);
    out.number(version);
    out.number(tensors);
    out.number(keys);
    return *this;
  }
  RawGguf& string(std::string_view text) {
    out.number<uint64_t>(text.size());
    out.text(text);
    return *this;
  }
  RawGguf& key(std::string_view name, gguf::ValueType type) {
    string(name);
    return number(static_cast<uint32_t>(type));
  }
  template <typename T>
  RawGguf& number(T value) {
    out.number(value);
    return *this;
  }
  // Dimensions innermost first, as in the file.
  RawGguf& tensor(std::string_view name, const std::vector<uint64_t>& dimensions, uint32_t type, uint64_t offset) {
    string(name);
    number(static_cast<uint32_t>(dimensions.size()));
    for (const uint64_t dimension : dimensions) number(dimension);
    number(type);
    return number(offset);
  }
  RawGguf& data(size_t bytes) {
    out.pad_to(gguf::kDefaultAlignment);
    out.append(pattern_bytes(bytes, 9));
    return *this;
  }
  std::vector<std::byte> bytes() { return out.take(); }
};

// safetensors from the text of its header, padded or not as given.
inline std::vector<std::byte> raw_safetensors(std::string_view header, size_t data_bytes) {
  ByteBuilder out;
  out.number<uint64_t>(header.size());
  out.text(header);
  out.append(pattern_bytes(data_bytes, 9));
  return out.take();
}

// A folder that lives as long as the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = ::testing::TempDir() + "tribar_format_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string write(const std::string& name, std::span<const std::byte> bytes) const {
    const std::string path = (path_ / name).string();
    const Status written = write_file(path, bytes);
    EXPECT_TRUE(written.ok()) << written.message();
    return path;
  }
  std::string write(const std::string& name, std::string_view text) const {
    return write(name, std::as_bytes(std::span(text)));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tribar::format::testing
