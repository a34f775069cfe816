#include "format/gguf/gguf_reader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "format/testing/sample_files.h"

namespace tribar::format::gguf {
namespace {

using testing::RawGguf;

TEST(GgufReader, ReadsEveryKindOfKey) {
  const std::vector<std::byte> bytes = testing::sample_gguf();
  const Result<ParsedFile> file = parse(bytes);
  ASSERT_TRUE(file.ok()) << file.status().message();
  const Metadata& m = file->metadata;
  EXPECT_EQ(file->version, 3u);
  EXPECT_EQ(m.get_string("general.architecture"), "sample");
  EXPECT_EQ(m.get_bool("sample.yes"), true);
  EXPECT_EQ(m.get_int("sample.small"), 7);
  EXPECT_EQ(m.get_int("sample.negative"), -7);
  EXPECT_EQ(m.get_int("sample.large"), int64_t{1} << 40);
  EXPECT_EQ(m.get_double("sample.real"), 0.5);
  EXPECT_EQ(m.get_double("sample.precise"), 0.1);
  EXPECT_EQ(m.get_bools("sample.flags"), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(m.get_ints("sample.numbers"), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(m.get_doubles("sample.reals"), (std::vector<double>{0.25, -1e30}));
  EXPECT_EQ(m.get_strings("sample.words")->at(2), "three and more than fifteen bytes");
}

TEST(GgufReader, ReadsEveryTensorType) {
  const std::vector<std::byte> bytes = testing::sample_gguf();
  const Result<ParsedFile> file = parse(bytes);
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_EQ(file->tensors.size(), static_cast<size_t>(DType::kQ8Act));
  for (size_t i = 0; i < file->tensors.size(); ++i) {
    const TensorEntry& tensor = file->tensors[i];
    const DType type = static_cast<DType>(i);
    EXPECT_EQ(tensor.name, "tensor." + std::string(dtype_name(type)));
    EXPECT_EQ(tensor.dtype, type);
    EXPECT_EQ(tensor.shape, (std::vector<int64_t>{2, 256}));
    EXPECT_EQ(tensor.offset_bytes % file->alignment, 0u);
    const std::vector<std::byte> expected = testing::pattern_bytes(tensor.bytes.size(), static_cast<uint32_t>(i));
    EXPECT_TRUE(std::ranges::equal(tensor.bytes, expected)) << tensor.name;
    EXPECT_EQ(tensor.bytes.data(), bytes.data() + tensor.offset_bytes) << "nothing is copied";
  }
}

// Every integer and float width of the format, scalar and array, written as itself.
TEST(GgufReader, ReadsEveryWidth) {
  RawGguf raw;
  raw.header(0, 12, 2);
  raw.key("u8", ValueType::kUint8).number<uint8_t>(200);
  raw.key("i8", ValueType::kInt8).number<int8_t>(-100);
  raw.key("u16", ValueType::kUint16).number<uint16_t>(60000);
  raw.key("i16", ValueType::kInt16).number<int16_t>(-30000);
  raw.key("u32", ValueType::kUint32).number<uint32_t>(4000000000u);
  raw.key("i32", ValueType::kInt32).number<int32_t>(-2000000000);
  raw.key("u64", ValueType::kUint64).number<uint64_t>(INT64_MAX);
  raw.key("i64", ValueType::kInt64).number<int64_t>(INT64_MIN);
  raw.key("f32", ValueType::kFloat32).number<float>(0.1f);
  raw.key("f64", ValueType::kFloat64).number<double>(0.1);
  raw.key("a8", ValueType::kArray).number(static_cast<uint32_t>(ValueType::kInt8)).number<uint64_t>(2);
  raw.number<int8_t>(-1).number<int8_t>(1);
  raw.key("none", ValueType::kArray).number(static_cast<uint32_t>(ValueType::kString)).number<uint64_t>(0);
  const std::vector<std::byte> bytes = raw.bytes();
  const Result<ParsedFile> file = parse(bytes);
  ASSERT_TRUE(file.ok()) << file.status().message();
  const Metadata& m = file->metadata;
  EXPECT_EQ(file->version, 2u);
  EXPECT_EQ(m.get_int("u8"), 200);
  EXPECT_EQ(m.get_int("i8"), -100);
  EXPECT_EQ(m.get_int("u16"), 60000);
  EXPECT_EQ(m.get_int("i16"), -30000);
  EXPECT_EQ(m.get_int("u32"), 4000000000);
  EXPECT_EQ(m.get_int("i32"), -2000000000);
  EXPECT_EQ(m.get_int("u64"), INT64_MAX);
  EXPECT_EQ(m.get_int("i64"), INT64_MIN);
  EXPECT_EQ(m.get_double("f32"), static_cast<double>(0.1f));
  EXPECT_EQ(m.get_double("f64"), 0.1);
  EXPECT_EQ(m.get_ints("a8"), (std::vector<int64_t>{-1, 1}));
  EXPECT_TRUE(m.get_strings("none")->empty());
}

TEST(GgufReader, ReversesDimensionsAndObeysAlignment) {
  GgufWriter writer;
  writer.set("general.alignment", int64_t{128});
  const std::vector<std::byte> data = testing::pattern_bytes(4 * 2 * 3 * 5, 1);
  writer.add_tensor({"a", DType::kF32, {2, 3, 5}, data});
  writer.add_tensor({"scalar", DType::kF32, {}, std::span(data).first(4)});
  const std::vector<std::byte> bytes = writer.build();
  const Result<ParsedFile> file = parse(bytes);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->alignment, 128u);
  EXPECT_EQ(file->tensors[0].shape, (std::vector<int64_t>{2, 3, 5}));
  EXPECT_EQ(file->tensors[0].cols(), 5);
  EXPECT_EQ(file->tensors[0].rows(), 6);
  EXPECT_EQ(file->tensors[1].offset_bytes % 128, 0u);
  EXPECT_EQ(file->tensors[1].elements(), 1);
}

}  // namespace
}  // namespace tribar::format::gguf
