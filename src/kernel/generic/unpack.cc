#include "kernel/generic/unpack.h"

#include "kernel/generic/unpack_32-inl.h"
#include "kernel/generic/unpack_k-inl.h"

namespace tribar::kernel::TRIBAR_GENERIC {
namespace {

template <typename Block>
void unpack_blocks(const std::byte* blocks, int64_t n, const UnpackedRow& out) {
  constexpr int64_t kGroups = Block::kElements / Unpack<Block>::kGroup;
  const auto* block = reinterpret_cast<const Block*>(blocks);
  static_assert(alignof(Block) == 1);
  for (int64_t b = 0; b < n / Block::kElements; ++b) {
    Unpack<Block>::run(block[b], out.levels + b * Block::kElements, out.scale + b * kGroups, out.offset + b * kGroups);
  }
}

template <typename Block>
constexpr PackedType kPacked = {Unpack<Block>::kGroup, Unpack<Block>::kHasOffset, unpack_blocks<Block>};

}  // namespace

const PackedType* packed_type(DType type) {
  switch (type) {
    case DType::kQ4_0: return &kPacked<quant::BlockQ4_0>;
    case DType::kQ4_1: return &kPacked<quant::BlockQ4_1>;
    case DType::kQ5_0: return &kPacked<quant::BlockQ5_0>;
    case DType::kQ5_1: return &kPacked<quant::BlockQ5_1>;
    case DType::kQ8_0: return &kPacked<quant::BlockQ8_0>;
    case DType::kQ2_K: return &kPacked<quant::BlockQ2_K>;
    case DType::kQ3_K: return &kPacked<quant::BlockQ3_K>;
    case DType::kQ4_K: return &kPacked<quant::BlockQ4_K>;
    case DType::kQ5_K: return &kPacked<quant::BlockQ5_K>;
    case DType::kQ6_K: return &kPacked<quant::BlockQ6_K>;
    case DType::kIQ4_NL: return &kPacked<quant::BlockIQ4_NL>;
    case DType::kIQ4_XS: return &kPacked<quant::BlockIQ4_XS>;
    case DType::kMXFP4: return &kPacked<quant::BlockMXFP4>;
    default: return nullptr;
  }
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
