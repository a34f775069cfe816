// Element and block types of tensors, as they are named in GGUF and safetensors files.
//
//   row_bytes(DType::kQ4_K, 4096)   // nullopt when the row is not a whole number of blocks
//
// A block type stores `block_elements` consecutive values of one row in `block_bytes` bytes. Layouts and scalar
// encode/decode live in tensor/quant/, one file per type. Source of ids and layouts: GGUF v3 specification, ggml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tribar {

enum class DType : uint8_t {
  kF32,
  kF16,
  kBF16,
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ8_0,
  kQ2_K,
  kQ3_K,
  kQ4_K,
  kQ5_K,
  kQ6_K,
  kIQ4_NL,
  kIQ4_XS,
  kMXFP4,
  kI8,
  kI32,
  kI64,
  kQ8Act,  // activations for integer dot products; layout in tensor/act_q8.h
  kCount,
};

struct DTypeInfo {
  std::string_view name;   // "Q4_K"
  int32_t block_elements;  // values in one block, 1 for plain types
  int32_t block_bytes;     // bytes of one block
  int32_t gguf_id;         // ggml_type number, -1 if GGUF has none
  bool quantized;
};

const DTypeInfo& dtype_info(DType type);
inline std::string_view dtype_name(DType type) { return dtype_info(type).name; }

// The type with this ggml_type number; nullopt for a number that Tribar does not read.
std::optional<DType> dtype_from_gguf(uint32_t id);
// The name of any ggml_type number ever assigned ("IQ2_XXS"), "type N" for others: for error messages.
std::string gguf_type_name(uint32_t id);

// Bytes of a row of `elements` values; nullopt if it is no whole number of blocks, negative, or does not fit in int64.
// For kQ8Act any number of values: act_q8::row_stride_bytes.
std::optional<int64_t> row_bytes(DType type, int64_t elements);

}  // namespace tribar
