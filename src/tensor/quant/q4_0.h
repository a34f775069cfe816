// Q4_0: 32 values, x = d * (q - 8) with q in 0..15.
// qs[j] holds value j in its low and value j + 16 in its high nibble. Source: ggml block_q4_0.
#pragma once

#include "tensor/dtype.h"
#include "tensor/half.h"
#include "tensor/quant/rounding.h"

namespace tribar::quant {

struct BlockQ4_0 {
  static constexpr DType kType = DType::kQ4_0;
  static constexpr int64_t kElements = 32;
  PackedF16 d;
  uint8_t qs[16];

  void decode(float* out) const {
    const float scale = d.value();
    for (int j = 0; j < 16; ++j) {
      out[j] = static_cast<float>((qs[j] & 15) - 8) * scale;
      out[j + 16] = static_cast<float>((qs[j] >> 4) - 8) * scale;
    }
  }

  static BlockQ4_0 encode(const float* in) {
    BlockQ4_0 block;
    block.d = PackedF16::from(signed_peak(in, kElements) / -8.0f);  // the peak itself is exact: level 0
    const float scale = block.d.value();
    for (int j = 0; j < 16; ++j) {
      const int low = nearest_level(in[j], scale, -8, 7) + 8;
      const int high = nearest_level(in[j + 16], scale, -8, 7) + 8;
      block.qs[j] = static_cast<uint8_t>(low | high << 4);
    }
    return block;
  }
};
static_assert(sizeof(BlockQ4_0) == 18);

}  // namespace tribar::quant
