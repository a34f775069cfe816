#include "tensor/quant/quant.h"

#include <cstring>

#include "base/status.h"
#include "tensor/quant/iq4_nl.h"
#include "tensor/quant/iq4_xs.h"
#include "tensor/quant/mxfp4.h"
#include "tensor/quant/q2_k.h"
#include "tensor/quant/q3_k.h"
#include "tensor/quant/q4_0.h"
#include "tensor/quant/q4_1.h"
#include "tensor/quant/q4_k.h"
#include "tensor/quant/q5_0.h"
#include "tensor/quant/q5_1.h"
#include "tensor/quant/q5_k.h"
#include "tensor/quant/q6_k.h"
#include "tensor/quant/q8_0.h"
#include "tensor/quant/scalar.h"

namespace tribar::quant {
namespace {

using DecodeRow = void (*)(const std::byte*, float*, int64_t);
using EncodeRow = void (*)(const float*, std::byte*, int64_t);

struct RowCodec {
  DecodeRow decode = nullptr;
  EncodeRow encode = nullptr;
};

template <typename Block>
void decode_row(const std::byte* src, float* dst, int64_t n) {
  for (int64_t i = 0; i < n; i += Block::kElements, src += sizeof(Block)) {
    Block block;
    std::memcpy(&block, src, sizeof block);
    block.decode(dst + i);
  }
}

template <typename Block>
void encode_row(const float* src, std::byte* dst, int64_t n) {
  for (int64_t i = 0; i < n; i += Block::kElements, dst += sizeof(Block)) {
    const Block block = Block::encode(src + i);
    std::memcpy(dst, &block, sizeof block);
  }
}

template <typename Block>
constexpr RowCodec both() {
  return {decode_row<Block>, encode_row<Block>};
}

template <typename Block>
constexpr RowCodec decode_only() {
  return {decode_row<Block>, nullptr};
}

RowCodec codec(DType type) {
  switch (type) {
    case DType::kF32: return both<BlockF32>();
    case DType::kF16: return both<BlockF16>();
    case DType::kBF16: return both<BlockBF16>();
    case DType::kQ4_0: return both<BlockQ4_0>();
    case DType::kQ4_1: return both<BlockQ4_1>();
    case DType::kQ5_0: return both<BlockQ5_0>();
    case DType::kQ5_1: return both<BlockQ5_1>();
    case DType::kQ8_0: return both<BlockQ8_0>();
    case DType::kQ2_K: return both<BlockQ2_K>();
    case DType::kQ3_K: return both<BlockQ3_K>();
    case DType::kQ4_K: return both<BlockQ4_K>();
    case DType::kQ5_K: return both<BlockQ5_K>();
    case DType::kQ6_K: return both<BlockQ6_K>();
    case DType::kIQ4_NL: return both<BlockIQ4_NL>();
    case DType::kIQ4_XS: return both<BlockIQ4_XS>();
    case DType::kMXFP4: return both<BlockMXFP4>();
    case DType::kI8: return decode_only<BlockI8>();
    case DType::kI32: return decode_only<BlockI32>();
    case DType::kI64: return decode_only<BlockI64>();
    case DType::kQ8Act:
    case DType::kCount: break;
  }
  return {};
}

}  // namespace

bool can_dequantize(DType type) { return codec(type).decode != nullptr; }
bool can_quantize(DType type) { return codec(type).encode != nullptr; }

void dequantize_row(DType type, const std::byte* src, float* dst, int64_t n) {
  const DecodeRow decode = codec(type).decode;
  TRIBAR_CHECK(decode != nullptr && n >= 0 && n % dtype_info(type).block_elements == 0);
  decode(src, dst, n);
}

void quantize_row(DType type, const float* src, std::byte* dst, int64_t n) {
  const EncodeRow encode = codec(type).encode;
  TRIBAR_CHECK(encode != nullptr && n >= 0 && n % dtype_info(type).block_elements == 0);
  encode(src, dst, n);
}

}  // namespace tribar::quant
