// Q4_1: 32 values, x = d * q + m with q in 0..15.
// qs[j] holds value j in its low and value j + 16 in its high nibble. Source: ggml block_q4_1.
#pragma once

#include <algorithm>

#include "tensor/dtype.h"
#include "tensor/half.h"
#include "tensor/quant/rounding.h"

namespace tribar::quant {

struct BlockQ4_1 {
  static constexpr DType kType = DType::kQ4_1;
  static constexpr int64_t kElements = 32;
  PackedF16 d;
  PackedF16 m;
  uint8_t qs[16];

  void decode(float* out) const {
    const float scale = d.value();
    const float offset = m.value();
    for (int j = 0; j < 16; ++j) {
      out[j] = static_cast<float>(qs[j] & 15) * scale + offset;
      out[j + 16] = static_cast<float>(qs[j] >> 4) * scale + offset;
    }
  }

  static BlockQ4_1 encode(const float* in) {
    const auto [low, high] = std::minmax_element(in, in + kElements);
    BlockQ4_1 block;
    block.d = PackedF16::from((*high - *low) / 15.0f);
    block.m = PackedF16::from(*low);
    const float scale = block.d.value();
    const float offset = block.m.value();
    for (int j = 0; j < 16; ++j) {
      const int first = nearest_level(in[j] - offset, scale, 0, 15);
      const int second = nearest_level(in[j + 16] - offset, scale, 0, 15);
      block.qs[j] = static_cast<uint8_t>(first | second << 4);
    }
    return block;
  }
};
static_assert(sizeof(BlockQ4_1) == 20);

}  // namespace tribar::quant
