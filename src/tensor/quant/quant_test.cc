#include "tensor/quant/quant.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace tribar::quant {
namespace {

std::vector<std::byte> from_hex(const std::string& hex) {
  std::vector<std::byte> bytes(hex.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto digit = [&](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    bytes[i] = static_cast<std::byte>(digit(hex[2 * i]) * 16 + digit(hex[2 * i + 1]));
  }
  return bytes;
}

DType type_named(const std::string& name) {
  for (int i = 0; i < static_cast<int>(DType::kCount); ++i) {
    if (dtype_name(static_cast<DType>(i)) == name) return static_cast<DType>(i);
  }
  ADD_FAILURE() << "no type " << name;
  return DType::kF32;
}

// Equal bits, or both NaN (whose payload nobody defines).
bool same_value(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

TEST(Quant, RandomBlocksDecodeBitForBitAsInGgml) {
  std::ifstream golden(TRIBAR_TEST_DATA "/format/quant_golden.txt");
  ASSERT_TRUE(golden.is_open());
  std::string name;
  std::string block_hex;
  std::string values_hex;
  std::vector<int> seen(static_cast<size_t>(DType::kCount));
  while (golden >> name >> block_hex >> values_hex) {
    const DType type = type_named(name);
    ++seen[static_cast<size_t>(type)];
    const std::vector<std::byte> block = from_hex(block_hex);
    const std::vector<std::byte> expected_bytes = from_hex(values_hex);
    const auto n = static_cast<size_t>(dtype_info(type).block_elements);
    ASSERT_EQ(block.size(), static_cast<size_t>(dtype_info(type).block_bytes));
    ASSERT_EQ(expected_bytes.size(), n * sizeof(float));
    std::vector<float> expected(n);
    std::memcpy(expected.data(), expected_bytes.data(), expected_bytes.size());
    // One byte off any alignment: blocks in files may lie anywhere.
    std::vector<std::byte> shifted(block.size() + 1);
    std::copy(block.begin(), block.end(), shifted.begin() + 1);
    std::vector<float> values(n);
    dequantize_row(type, shifted.data() + 1, values.data(), static_cast<int64_t>(n));
    for (size_t i = 0; i < n; ++i) {
      ASSERT_TRUE(same_value(values[i], expected[i]))
          << name << " value " << i << ": " << values[i] << " " << expected[i];
    }
  }
  for (int i = 0; i < static_cast<int>(DType::kCount); ++i) {
    if (dtype_info(static_cast<DType>(i)).quantized && static_cast<DType>(i) != DType::kQ8Act) {
      EXPECT_GE(seen[static_cast<size_t>(i)], 6) << dtype_name(static_cast<DType>(i));
    }
  }
}

// Root mean square error of a round trip of normal noise, over the rms of the noise.
double round_trip_error(DType type) {
  constexpr int64_t kCount = 256 * 16;
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0.0f, 0.3f);
  std::vector<float> in(kCount);
  for (float& x : in) x = normal(random);
  std::vector<std::byte> packed(static_cast<size_t>(*row_bytes(type, kCount)));
  std::vector<float> out(kCount);
  quantize_row(type, in.data(), packed.data(), kCount);
  dequantize_row(type, packed.data(), out.data(), kCount);
  double error = 0;
  double power = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    error += std::pow(in[i] - out[i], 2);
    power += std::pow(in[i], 2);
  }
  return std::sqrt(error / power);
}

TEST(Quant, RoundTripErrorIsWhatTheBitsAllow) {
  const std::pair<DType, double> limits[] = {
      {DType::kF32, 0},      {DType::kF16, 3e-4},    {DType::kBF16, 3e-3},   {DType::kQ4_0, 0.10},
      {DType::kQ4_1, 0.09},  {DType::kQ5_0, 0.05},   {DType::kQ5_1, 0.045},  {DType::kQ8_0, 0.007},
      {DType::kQ2_K, 0.40},  {DType::kQ3_K, 0.20},   {DType::kQ4_K, 0.09},   {DType::kQ5_K, 0.045},
      {DType::kQ6_K, 0.025}, {DType::kIQ4_NL, 0.09}, {DType::kIQ4_XS, 0.10}, {DType::kMXFP4, 0.13},
  };
  for (const auto& [type, limit] : limits) {
    const double error = round_trip_error(type);
    EXPECT_LE(error, limit) << dtype_name(type);
    EXPECT_GE(error, limit / 4) << dtype_name(type) << ": the limit is too loose to notice a lost bit";
  }
}

TEST(Quant, ExtremeInputStaysValid) {
  for (int i = 0; i < static_cast<int>(DType::kCount); ++i) {
    const DType type = static_cast<DType>(i);
    if (!can_quantize(type)) continue;
    std::vector<std::byte> packed(static_cast<size_t>(*row_bytes(type, 256)));
    std::vector<float> out(256, 1.0f);
    quantize_row(type, std::vector<float>(256, 0.0f).data(), packed.data(), 256);
    dequantize_row(type, packed.data(), out.data(), 256);
    EXPECT_EQ(out, std::vector<float>(256, 0.0f)) << dtype_name(type);
    // NaN, infinities and tiny values must not trap or index out of a table (the sanitizers watch).
    std::vector<float> wild(256);
    for (size_t j = 0; j < wild.size(); ++j)
      wild[j] = j % 4 == 0 ? NAN : j % 4 == 1 ? INFINITY : j % 4 == 2 ? -1e38f : 1e-42f;
    quantize_row(type, wild.data(), packed.data(), 256);
    dequantize_row(type, packed.data(), out.data(), 256);
  }
}

TEST(Quant, IntegersDecode) {
  const int32_t ints[] = {-5, 7};
  float out[2];
  dequantize_row(DType::kI32, reinterpret_cast<const std::byte*>(ints), out, 2);
  EXPECT_EQ(out[0], -5.0f);
  EXPECT_EQ(out[1], 7.0f);
  EXPECT_FALSE(can_quantize(DType::kI32));
  EXPECT_FALSE(can_dequantize(DType::kQ8Act));
}

}  // namespace
}  // namespace tribar::quant
