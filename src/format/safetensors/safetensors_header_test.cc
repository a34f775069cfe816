#include "format/safetensors/safetensors_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "format/tensor_layout.h"
#include "format/testing/sample_files.h"

namespace tribar::format::safetensors {
namespace {

using ::testing::HasSubstr;
using testing::raw_safetensors;

void expect_refused(std::span<const std::byte> bytes, StatusCode code, const std::string& message) {
  const Result<std::vector<TensorEntry>> tensors = parse(bytes);
  ASSERT_FALSE(tensors.ok()) << "accepted; expected: " << message;
  EXPECT_EQ(tensors.status().code(), code) << tensors.status().message();
  EXPECT_THAT(tensors.status().message(), HasSubstr(message));
  EXPECT_EQ(tensors.status().message().find('\n'), std::string::npos);
}

// A header with one or two tensors "a" and "b" given as the text after the name.
std::string header(const std::string& a, const std::string& b = "") {
  return "{\"a\":" + a + (b.empty() ? "" : ",\"b\":" + b) + "}";
}

TEST(Safetensors, ReadsWhatItWrites) {
  const std::vector<std::byte> bytes = testing::sample_safetensors();
  const Result<std::vector<TensorEntry>> tensors = parse(bytes);
  ASSERT_TRUE(tensors.ok()) << tensors.status().message();
  ASSERT_EQ(tensors->size(), 3u);
  const TensorEntry& first = (*tensors)[0];
  EXPECT_EQ(first.name, "layer.bias");
  EXPECT_EQ(first.dtype, DType::kF32);
  EXPECT_EQ(first.shape, std::vector<int64_t>{6});
  EXPECT_TRUE(std::ranges::equal(first.bytes, testing::pattern_bytes(24, 1)));
  EXPECT_EQ(first.bytes.data(), bytes.data() + first.offset_bytes) << "nothing is copied";
  EXPECT_EQ((*tensors)[1].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE((*tensors)[2].shape.empty());
  EXPECT_TRUE(std::ranges::equal((*tensors)[2].bytes, testing::pattern_bytes(2, 3)));
}

TEST(Safetensors, EveryTruncationAndAnyRestIsRefused) {
  std::vector<std::byte> bytes = testing::sample_safetensors();
  for (size_t length = 0; length < bytes.size(); ++length) {
    ASSERT_FALSE(parse(std::vector<std::byte>(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(length))).ok())
        << length;
  }
  bytes.push_back(std::byte{0});
  expect_refused(bytes, StatusCode::kDataLoss, "1 bytes that belong to no tensor");
}

TEST(Safetensors, HeaderLengthIsCapped) {
  for (const uint64_t length : {kMaxHeaderBytes + 1, uint64_t{1} << 40, UINT64_MAX, UINT64_MAX - 7}) {
    ByteBuilder out;
    out.number(length);
    out.text("{}");
    expect_refused(out.take(), StatusCode::kDataLoss, "the header claims");
  }
  ByteBuilder cut;
  cut.number<uint64_t>(1000);
  cut.text("{}");
  expect_refused(cut.take(), StatusCode::kDataLoss, "the file ends in its header");
}

TEST(Safetensors, OffsetsMustTileTheData) {
  const std::string first = R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  expect_refused(raw_safetensors(header(first, R"({"dtype":"F32","shape":[2],"data_offsets":[8,16]})"), 12),
                 StatusCode::kDataLoss, "tensor 'b' ends after the file");
  expect_refused(raw_safetensors(header(first, R"({"dtype":"F32","shape":[2],"data_offsets":[12,20]})"), 20),
                 StatusCode::kDataLoss, "tensor 'b' begins at 12 of the data, not at the end of the one before, 8");
  expect_refused(raw_safetensors(header(first, R"({"dtype":"F32","shape":[2],"data_offsets":[4,12]})"), 12),
                 StatusCode::kDataLoss, "tensor 'b' begins at 4");
  expect_refused(raw_safetensors(header(first, first), 8), StatusCode::kDataLoss, "begins at 0");
  expect_refused(raw_safetensors(header(R"({"dtype":"F32","shape":[2],"data_offsets":[4,12]})"), 12),
                 StatusCode::kDataLoss, "begins at 4");
}

TEST(Safetensors, OffsetsMustBeWhatShapeAndTypeNeed) {
  const char* bad[] = {R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})",
                       R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})",
                       R"({"dtype":"BF16","shape":[2],"data_offsets":[0,9223372036854775807]})"};
  for (const char* text : bad)
    expect_refused(raw_safetensors(header(text), 8), StatusCode::kDataLoss, "tensor 'a' needs");
  expect_refused(raw_safetensors(header(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]})"), 0),
                 StatusCode::kDataLoss, "does not fit in 64 bits");
  expect_refused(raw_safetensors(header(R"({"dtype":"F32","shape":[0],"data_offsets":[0,0]})"), 0),
                 StatusCode::kDataLoss, "dimension 0 is 0");
}

TEST(Safetensors, OtherFormsAreRefused) {
  const char* bad[] = {
      R"({"dtype":"F32","shape":[2]})",
      R"({"dtype":"F32","data_offsets":[0,8]})",
      R"({"shape":[2],"data_offsets":[0,8]})",
      R"({"dtype":"F32","shape":2,"data_offsets":[0,8]})",
      R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})",
      R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})",
      R"({"dtype":"F32","shape":["2"],"data_offsets":[0,8]})",
      R"({"dtype":"F32","shape":[[2]],"data_offsets":[0,8]})",
      R"({"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8]})",
      R"({"dtype":"F32","shape":[2],"data_offsets":[0,8,8]})",
      R"({"dtype":"F32","shape":[2],"data_offsets":[0]})",
      R"({"dtype":"F32","shape":[2],"data_offsets":{"0":8}})",
      R"({"dtype":4,"shape":[2],"data_offsets":[0,8]})",
      R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"more":1})",
      R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"more":{}})",
      R"([])",
      R"(null)",
  };
  for (const char* text : bad) expect_refused(raw_safetensors(header(text), 8), StatusCode::kDataLoss, "header");
  expect_refused(raw_safetensors("[]", 0), StatusCode::kDataLoss, "the header does not begin with '{'");
  expect_refused(raw_safetensors("{\"__metadata__\":{\"a\":1}}", 0), StatusCode::kDataLoss, "'__metadata__'");
  expect_refused(raw_safetensors("{\"__metadata__\":{\"a\":{}}}", 0), StatusCode::kDataLoss, "'__metadata__'");
  expect_refused(raw_safetensors("{\"\":{}}", 0), StatusCode::kDataLoss, "0 bytes long");
  expect_refused(raw_safetensors("{" + std::string(300, '['), 0), StatusCode::kDataLoss, "header");
  expect_refused(raw_safetensors("{\"a\":" + std::string(1 << 20, '['), 0), StatusCode::kDataLoss, "header");
}

TEST(Safetensors, DuplicateNamesAndFieldsAreRefused) {
  const std::string entry = R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  expect_refused(raw_safetensors("{\"a\":" + entry + ",\"a\":" + entry + "}", 8), StatusCode::kDataLoss,
                 "'a' appears twice");
  expect_refused(raw_safetensors(header(R"({"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]})"), 8),
                 StatusCode::kDataLoss, "'dtype' appears twice");
}

TEST(Safetensors, OtherTypesAndRanksAreNamed) {
  for (const std::string name : {"F64", "F8_E4M3", "U8", "BOOL", "Q4_K", "f32", ""}) {
    expect_refused(raw_safetensors(header("{\"dtype\":\"" + name + "\",\"shape\":[8],\"data_offsets\":[0,8]}"), 8),
                   StatusCode::kUnimplemented, "tensor 'a' has the dtype " + name + ", which is not supported");
  }
  expect_refused(raw_safetensors(header(R"({"dtype":"F32","shape":[1,1,1,1,2],"data_offsets":[0,8]})"), 8),
                 StatusCode::kUnimplemented, "more than 4 dimensions");
}

TEST(Safetensors, EntryCountIsCapped) {
  std::string text = "{";
  for (uint64_t i = 0; i <= kMaxTensors; ++i) {
    const std::string begin = std::to_string(i);
    if (i != 0) text += ",";
    text.append("\"").append(begin).append(R"(":{"dtype":"I8","shape":[1],"data_offsets":[)");
    text.append(begin).append(",").append(std::to_string(i + 1)).append("]}");
  }
  expect_refused(raw_safetensors(text + "}", kMaxTensors + 1), StatusCode::kDataLoss, "more than 100000 tensors");
}

}  // namespace
}  // namespace tribar::format::safetensors
