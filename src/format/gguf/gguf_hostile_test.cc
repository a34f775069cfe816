// Damaged and hostile GGUF files, one test a kind (reference: published parser vulnerabilities of other engines). Every
// one must be an error that says what is wrong, found before memory is taken for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/gguf/gguf_reader.h"
#include "format/tensor_layout.h"
#include "format/testing/sample_files.h"

namespace tribar::format::gguf {
namespace {

using ::testing::HasSubstr;
using testing::RawGguf;

constexpr uint32_t kF32 = 0;

void expect_refused(std::span<const std::byte> bytes, StatusCode code, const std::string& message) {
  const Result<ParsedFile> file = parse(bytes);
  ASSERT_FALSE(file.ok()) << "accepted; expected: " << message;
  EXPECT_EQ(file.status().code(), code) << file.status().message();
  EXPECT_THAT(file.status().message(), HasSubstr(message));
  EXPECT_EQ(file.status().message().find('\n'), std::string::npos);
}

void expect_damaged(RawGguf& raw, const std::string& message) {
  expect_refused(raw.bytes(), StatusCode::kDataLoss, message);
}

// A file whose only key is what `raw` continues with.
RawGguf one_key(ValueType type) {
  RawGguf raw;
  raw.header(0, 1).key("k", type);
  return raw;
}

RawGguf one_array(ValueType element, uint64_t count) {
  RawGguf raw = one_key(ValueType::kArray);
  raw.number(static_cast<uint32_t>(element)).number(count);
  return raw;
}

TEST(GgufHostile, OtherFilesAndVersionsAreNamed) {
  expect_refused(testing::pattern_bytes(1000, 1), StatusCode::kDataLoss, "not a GGUF file");
  expect_refused(RawGguf().header(0, 0, 1).bytes(), StatusCode::kUnimplemented, "GGUF version 1 is not supported");
  expect_refused(RawGguf().header(0, 0, 4).bytes(), StatusCode::kUnimplemented, "GGUF version 4 is not supported");
  expect_refused(RawGguf().header(0, 0, 0).bytes(), StatusCode::kUnimplemented, "GGUF version 0 is not supported");
  expect_refused(RawGguf().header(0, 0, 0x03000000).bytes(), StatusCode::kUnimplemented, "big-endian");
}

TEST(GgufHostile, EveryTruncationIsRefused) {
  const std::vector<std::byte> whole = testing::sample_gguf();
  const Result<ParsedFile> file = parse(whole);
  ASSERT_TRUE(file.ok());
  const uint64_t tensors_end = file->tensors.back().offset_bytes + file->tensors.back().bytes.size();
  // Every length of the description, then some in the data.
  for (uint64_t length = 0; length < tensors_end; length += length < file->data_offset_bytes ? 1 : 101) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(length));
    const Result<ParsedFile> cut_file = parse(cut);
    ASSERT_FALSE(cut_file.ok()) << "accepted when cut to " << length;
    ASSERT_EQ(cut_file.status().code(), StatusCode::kDataLoss) << length << ": " << cut_file.status().message();
  }
}

TEST(GgufHostile, CountsBeyondTheFileAreRefused) {
  for (const uint64_t count : {uint64_t{3}, uint64_t{1} << 20, uint64_t{1} << 60, UINT64_MAX}) {
    expect_refused(RawGguf().header(0, count).number<uint64_t>(0).number<uint64_t>(0).bytes(), StatusCode::kDataLoss,
                   "keys");
    expect_refused(RawGguf().header(count, 0).number<uint64_t>(0).number<uint64_t>(0).bytes(), StatusCode::kDataLoss,
                   "tensors");
  }
}

TEST(GgufHostile, StringLengthsBeyondTheFileAreRefused) {
  for (const uint64_t length : {uint64_t{100}, uint64_t{1} << 40, UINT64_MAX - 7, UINT64_MAX}) {
    RawGguf value = one_key(ValueType::kString);
    expect_damaged(value.number(length).number<uint64_t>(0), "the file ends in the middle of the value");
    RawGguf element = one_array(ValueType::kString, 1);
    expect_damaged(element.number(length).number<uint64_t>(0), "the file ends in the middle of the value");
    RawGguf key;
    expect_damaged(key.header(0, 1).number(length).number<uint64_t>(0), "key");
  }
}

TEST(GgufHostile, ArrayCountsBeyondTheFileAreRefused) {
  for (const ValueType type : {ValueType::kUint8, ValueType::kBool, ValueType::kFloat64, ValueType::kString}) {
    for (const uint64_t count : {uint64_t{40}, kMaxArrayElements, uint64_t{1} << 61, UINT64_MAX}) {
      RawGguf raw = one_array(type, count);
      expect_damaged(raw.number<uint64_t>(0).number<uint64_t>(0),
                     count > kMaxArrayElements ? "array elements" : "ends in the middle");
    }
  }
}

TEST(GgufHostile, ArrayElementsHaveALimitOfTheWholeFile) {
  RawGguf raw;
  raw.header(0, 2)
      .key("a", ValueType::kArray)
      .number(static_cast<uint32_t>(ValueType::kUint8))
      .number<uint64_t>(kMaxArrayElements);
  raw.out.append(std::vector<std::byte>(kMaxArrayElements));
  raw.key("b", ValueType::kArray)
      .number(static_cast<uint32_t>(ValueType::kUint8))
      .number<uint64_t>(1)
      .number<uint8_t>(0);
  expect_damaged(raw, "array elements");
}

TEST(GgufHostile, ValueTypesOutsideTheTableAreRefused) {
  for (const uint32_t type : {13u, 255u, 0x80000000u, UINT32_MAX}) {
    RawGguf scalar;
    expect_damaged(scalar.header(0, 1).string("k").number(type).number<uint64_t>(0),
                   "unknown value type " + std::to_string(type));
    RawGguf array = one_key(ValueType::kArray);
    expect_damaged(array.number(type).number<uint64_t>(1).number<uint64_t>(0), "unknown value type");
  }
}

TEST(GgufHostile, NestedArraysAreUnsupported) {
  RawGguf raw = one_array(ValueType::kArray, 1);
  expect_refused(raw.number<uint64_t>(0).number<uint64_t>(0).bytes(), StatusCode::kUnimplemented,
                 "key 'k': arrays of arrays");
}

TEST(GgufHostile, ValuesOutOfRangeAreRefused) {
  RawGguf boolean = one_key(ValueType::kBool);
  expect_damaged(boolean.number<uint8_t>(2), "a boolean has the value 2");
  RawGguf large = one_key(ValueType::kUint64);
  expect_damaged(large.number<uint64_t>(uint64_t{1} << 63), "the integer 9223372036854775808 is out of range");
}

TEST(GgufHostile, DuplicateKeysAndTensorsAreRefused) {
  RawGguf keys;
  keys.header(0, 2).key("k", ValueType::kUint8).number<uint8_t>(1).key("k", ValueType::kString).string("x");
  expect_damaged(keys, "the key 'k' appears twice");
  RawGguf tensors;
  tensors.header(2, 0).tensor("t", {8}, kF32, 0).tensor("t", {8}, kF32, 32).data(64);
  expect_damaged(tensors, "the tensor 't' appears twice");
}

TEST(GgufHostile, EmptyAndOverlongNamesAreRefused) {
  RawGguf key;
  expect_damaged(key.header(0, 1).key("", ValueType::kUint8).number<uint8_t>(0).data(32), "a key is 0 bytes long");
  RawGguf tensor;
  expect_damaged(tensor.header(1, 0).tensor(std::string(kMaxNameBytes + 1, 'n'), {8}, kF32, 0).data(32),
                 "a tensor name is 1025");
}

TEST(GgufHostile, NamesInMessagesAreHarmless) {
  RawGguf raw;
  raw.header(0, 2)
      .key("\x1b[2J\n", ValueType::kUint8)
      .number<uint8_t>(1)
      .key("\x1b[2J\n", ValueType::kUint8)
      .number<uint8_t>(1);
  expect_damaged(raw, "the key '\\x1b[2J\\x0a' appears twice");
}

TEST(GgufHostile, BadAlignmentsAreRefused) {
  for (const uint32_t alignment : {0u, 1u, 4u, 12u, 33u, 1u << 21, 1u << 30, UINT32_MAX}) {
    RawGguf raw;
    raw.header(0, 1).key("general.alignment", ValueType::kUint32).number(alignment);
    expect_damaged(raw, "general.alignment is " + std::to_string(alignment));
  }
  RawGguf negative;
  expect_damaged(negative.header(0, 1).key("general.alignment", ValueType::kInt32).number<int32_t>(-32),
                 "general.alignment");
  RawGguf text;
  expect_damaged(text.header(0, 1).key("general.alignment", ValueType::kString).string("32"), "should be an integer");
}

TEST(GgufHostile, ImpossibleShapesAreRefused) {
  RawGguf rank;
  expect_damaged(rank.header(1, 0).tensor("t", {1, 1, 1, 1, 1}, kF32, 0).data(64), "'t' has 5 dimensions");
  RawGguf zero;
  expect_damaged(zero.header(1, 0).tensor("t", {8, 0}, kF32, 0).data(64), "tensor 't': dimension 0 is 0");
  RawGguf large;
  expect_damaged(large.header(1, 0).tensor("t", {uint64_t{1} << 63}, kF32, 0).data(64), "does not fit in 63 bits");
  const std::vector<std::vector<uint64_t>> wrapping = {{uint64_t{1} << 32, uint64_t{1} << 32},
                                                       {uint64_t{1} << 62, 4},
                                                       {uint64_t{1} << 62},
                                                       {3, 3074457345618258603},
                                                       {8, INT64_MAX}};
  for (const std::vector<uint64_t>& dimensions : wrapping) {
    RawGguf wraps;
    expect_damaged(wraps.header(1, 0).tensor("t", dimensions, kF32, 0).data(64), "does not fit in 64 bits");
  }
  RawGguf blocks;
  expect_damaged(blocks.header(1, 0).tensor("t", {100}, 12, 0).data(640), "not a whole number of Q4_K blocks");
}

TEST(GgufHostile, TensorTypesAreNamed) {
  RawGguf known;
  known.header(1, 0).tensor("t", {256}, 16, 0).data(640);
  expect_refused(known.bytes(), StatusCode::kUnimplemented, "'t' has the type IQ2_XXS, which is not supported");
  for (const uint32_t type : {4u, 28u, 42u, 0x80000000u, UINT32_MAX}) {
    RawGguf raw;
    raw.header(1, 0).tensor("t", {256}, type, 0).data(640);
    expect_refused(raw.bytes(), StatusCode::kUnimplemented, "'t' has the type " + gguf_type_name(type));
  }
}

TEST(GgufHostile, TensorsOutsideTheFileAreRefused) {
  const uint64_t huge_aligned = UINT64_MAX - 31;
  for (const uint64_t offset : {uint64_t{64}, uint64_t{1} << 40, uint64_t{1} << 63, huge_aligned}) {
    RawGguf raw;
    expect_damaged(raw.header(1, 0).tensor("t", {8}, kF32, offset).data(64), "tensor 't' lies outside the file");
  }
  RawGguf length;
  expect_damaged(length.header(1, 0).tensor("t", {17}, kF32, 0).data(64), "tensor 't' lies outside the file");
  RawGguf unaligned;
  expect_damaged(unaligned.header(1, 0).tensor("t", {8}, kF32, 8).data(64), "tensor 't' is not aligned to 32 bytes");
}

TEST(GgufHostile, OverlapsAreRefused) {
  RawGguf same;
  expect_damaged(same.header(2, 0).tensor("a", {8}, kF32, 0).tensor("b", {8}, kF32, 0).data(64), "overlap");
  RawGguf partly;
  expect_damaged(partly.header(2, 0).tensor("a", {8}, kF32, 32).tensor("b", {9}, kF32, 0).data(64),
                 "the tensors 'b' and 'a' overlap");
}

// A gap is allowed by the format and harmless.
TEST(GgufHostile, GapsAreAllowed) {
  RawGguf raw;
  raw.header(2, 0).tensor("a", {8}, kF32, 64).tensor("b", {8}, kF32, 0).data(96);
  EXPECT_TRUE(parse(raw.bytes()).ok());
}

}  // namespace
}  // namespace tribar::format::gguf
