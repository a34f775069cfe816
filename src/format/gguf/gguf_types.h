// Numbers of the GGUF format, version 2 and 3, and the limits within which Tribar reads it.
//
// File: "GGUF", version u32, tensor count u64, key count u64, keys, tensor infos, padding, data. All little-endian.
// Source: GGUF specification of ggml (docs/gguf.md).
#pragma once

#include <cstdint>
#include <string_view>

namespace tribar::format::gguf {

inline constexpr std::string_view kMagic = "GGUF";
inline constexpr uint32_t kMinVersion = 2;
inline constexpr uint32_t kMaxVersion = 3;

enum class ValueType : uint32_t {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kFloat32,
  kBool,
  kString,
  kArray,
  kUint64,
  kInt64,
  kFloat64,
  kCount,
};

inline constexpr uint64_t kDefaultAlignment = 32;
// The specification asks for a multiple of 8; nobody writes more than 4096.
inline constexpr uint64_t kMinAlignment = 8;
inline constexpr uint64_t kMaxAlignment = 1 << 20;

// Real files have under 100 keys, and at most about 800,000 array elements (tokens, scores, types, merges). The limits
// keep what parsing may allocate below twice the file's size plus a constant.
inline constexpr uint64_t kMaxKeys = 65'536;
inline constexpr uint64_t kMaxArrayElements = 3'000'000;  // of all arrays together

// The fewest bytes a key with its value and a tensor info take: a count that needs more than what is left is a lie.
inline constexpr uint64_t kMinKeyBytes = 8 + 1 + 4 + 1;
inline constexpr uint64_t kMinTensorInfoBytes = 8 + 1 + 4 + 4 + 8;

}  // namespace tribar::format::gguf
