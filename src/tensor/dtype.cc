#include "tensor/dtype.h"

#include <array>
#include <cstddef>
#include <string>

#include "base/checked_int.h"
#include "base/status.h"
#include "tensor/act_q8.h"

namespace tribar {
namespace {

constexpr std::array<DTypeInfo, static_cast<size_t>(DType::kCount)> kInfo = {{
    {"F32", 1, 4, 0, false},      {"F16", 1, 2, 1, false},      {"BF16", 1, 2, 30, false},
    {"Q4_0", 32, 18, 2, true},    {"Q4_1", 32, 20, 3, true},    {"Q5_0", 32, 22, 6, true},
    {"Q5_1", 32, 24, 7, true},    {"Q8_0", 32, 34, 8, true},    {"Q2_K", 256, 84, 10, true},
    {"Q3_K", 256, 110, 11, true}, {"Q4_K", 256, 144, 12, true}, {"Q5_K", 256, 176, 13, true},
    {"Q6_K", 256, 210, 14, true}, {"IQ4_NL", 32, 18, 20, true}, {"IQ4_XS", 256, 136, 23, true},
    {"MXFP4", 32, 17, 39, true},  {"I8", 1, 1, 24, false},      {"I32", 1, 4, 26, false},
    {"I64", 1, 8, 27, false},     {"Q8Act", 64, 80, -1, true},
}};

// ggml_type numbers in order; "" is a number never given out.
constexpr std::array<std::string_view, 42> kGgufNames = {
    "F32",        "F16",        "Q4_0",       "Q4_1",  "Q4_2",     "Q4_3",     "Q5_0",     "Q5_1",    "Q8_0",
    "Q8_1",       "Q2_K",       "Q3_K",       "Q4_K",  "Q5_K",     "Q6_K",     "Q8_K",     "IQ2_XXS", "IQ2_XS",
    "IQ3_XXS",    "IQ1_S",      "IQ4_NL",     "IQ3_S", "IQ2_S",    "IQ4_XS",   "I8",       "I16",     "I32",
    "I64",        "F64",        "IQ1_M",      "BF16",  "Q4_0_4_4", "Q4_0_4_8", "Q4_0_8_8", "TQ1_0",   "TQ2_0",
    "IQ4_NL_4_4", "IQ4_NL_4_8", "IQ4_NL_8_8", "MXFP4", "NVFP4",    "Q1_0"};

}  // namespace

const DTypeInfo& dtype_info(DType type) {
  TRIBAR_CHECK(type < DType::kCount);
  return kInfo[static_cast<size_t>(type)];
}

std::optional<DType> dtype_from_gguf(uint32_t id) {
  for (size_t i = 0; i < kInfo.size(); ++i) {
    if (kInfo[i].gguf_id >= 0 && static_cast<uint32_t>(kInfo[i].gguf_id) == id) return static_cast<DType>(i);
  }
  return std::nullopt;
}

std::string gguf_type_name(uint32_t id) {
  if (id < kGgufNames.size()) return std::string(kGgufNames[id]);
  return "type " + std::to_string(id);
}

std::optional<int64_t> row_bytes(DType type, int64_t elements) {
  if (elements < 0) return std::nullopt;
  if (type == DType::kQ8Act) {
    if (elements > INT64_MAX / 4) return std::nullopt;
    return act_q8::row_stride_bytes(elements);
  }
  const DTypeInfo& info = dtype_info(type);
  if (elements % info.block_elements != 0) return std::nullopt;
  return checked_mul<int64_t>(elements / info.block_elements, info.block_bytes);
}

}  // namespace tribar
