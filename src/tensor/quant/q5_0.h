// Q5_0: 32 values, x = d * (q - 16) with q in 0..31.
// Low four bits as in Q4_0; the fifth bit of value j is bit j of the 32-bit number qh. Source: ggml block_q5_0.
#pragma once

#include "tensor/dtype.h"
#include "tensor/half.h"
#include "tensor/quant/rounding.h"

namespace tribar::quant {

struct BlockQ5_0 {
  static constexpr DType kType = DType::kQ5_0;
  static constexpr int64_t kElements = 32;
  PackedF16 d;
  uint8_t qh[4];
  uint8_t qs[16];

  // The five bits of value `i`.
  int level(int i) const {
    const int low = i < 16 ? qs[i] & 15 : qs[i - 16] >> 4;
    return low | ((qh[i / 8] >> (i % 8)) & 1) << 4;
  }

  void decode(float* out) const {
    const float scale = d.value();
    for (int i = 0; i < kElements; ++i) out[i] = static_cast<float>(level(i) - 16) * scale;
  }

  static BlockQ5_0 encode(const float* in) {
    BlockQ5_0 block{};
    block.d = PackedF16::from(signed_peak(in, kElements) / -16.0f);
    const float scale = block.d.value();
    for (int i = 0; i < kElements; ++i) {
      const int q = nearest_level(in[i], scale, -16, 15) + 16;
      block.qs[i % 16] = static_cast<uint8_t>(block.qs[i % 16] | (q & 15) << (i < 16 ? 0 : 4));
      block.qh[i / 8] = static_cast<uint8_t>(block.qh[i / 8] | (q >> 4) << (i % 8));
    }
    return block;
  }
};
static_assert(sizeof(BlockQ5_0) == 22);

}  // namespace tribar::quant
