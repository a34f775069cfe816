// Q5_1: 32 values, x = d * q + m with q in 0..31.
// Low four bits as in Q4_1; the fifth bit of value j is bit j of the 32-bit number qh. Source: ggml block_q5_1.
#pragma once

#include <algorithm>

#include "tensor/dtype.h"
#include "tensor/half.h"
#include "tensor/quant/rounding.h"

namespace tribar::quant {

struct BlockQ5_1 {
  static constexpr DType kType = DType::kQ5_1;
  static constexpr int64_t kElements = 32;
  PackedF16 d;
  PackedF16 m;
  uint8_t qh[4];
  uint8_t qs[16];

  // The five bits of value `i`.
  int level(int i) const {
    const int low = i < 16 ? qs[i] & 15 : qs[i - 16] >> 4;
    return low | ((qh[i / 8] >> (i % 8)) & 1) << 4;
  }

  void decode(float* out) const {
    const float scale = d.value();
    const float offset = m.value();
    for (int i = 0; i < kElements; ++i) out[i] = static_cast<float>(level(i)) * scale + offset;
  }

  static BlockQ5_1 encode(const float* in) {
    const auto [low, high] = std::minmax_element(in, in + kElements);
    BlockQ5_1 block{};
    block.d = PackedF16::from((*high - *low) / 31.0f);
    block.m = PackedF16::from(*low);
    const float scale = block.d.value();
    const float offset = block.m.value();
    for (int i = 0; i < kElements; ++i) {
      const int q = nearest_level(in[i] - offset, scale, 0, 31);
      block.qs[i % 16] = static_cast<uint8_t>(block.qs[i % 16] | (q & 15) << (i < 16 ? 0 : 4));
      block.qh[i / 8] = static_cast<uint8_t>(block.qh[i / 8] | (q >> 4) << (i % 8));
    }
    return block;
  }
};
static_assert(sizeof(BlockQ5_1) == 24);

}  // namespace tribar::quant
