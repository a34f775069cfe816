// Q2_K: 256 values in 16 groups of 16, x = d * s * q - dmin * m with q in 0..3 and s, m in 0..15.
// scales[g] holds s in its low and m in its high nibble. Value i has the two bits 2 * ((i / 32) % 4) of
// qs[32 * (i / 128) + i % 32]. Source: ggml block_q2_K.
#pragma once

#include <algorithm>
#include <cmath>

#include "tensor/dtype.h"
#include "tensor/half.h"
#include "tensor/quant/rounding.h"

namespace tribar::quant {

struct BlockQ2_K {
  static constexpr DType kType = DType::kQ2_K;
  static constexpr int64_t kElements = 256;
  uint8_t scales[16];
  uint8_t qs[64];
  PackedF16 d;
  PackedF16 dmin;

  void decode(float* out) const {
    const float scale = d.value();
    const float min_scale = dmin.value();
    for (int i = 0; i < kElements; ++i) {
      const uint8_t group = scales[i / 16];
      const int q = (qs[32 * (i / 128) + i % 32] >> (2 * ((i / 32) % 4))) & 3;
      out[i] =
          scale * static_cast<float>(group & 15) * static_cast<float>(q) - min_scale * static_cast<float>(group >> 4);
    }
  }

  static BlockQ2_K encode(const float* in) {
    float steps[16];
    float minima[16];
    for (int g = 0; g < 16; ++g) {
      const ValueRange range = range_below_zero(in + 16 * g, 16);
      steps[g] = (range.high - range.low) / 3.0f;
      minima[g] = -range.low;
    }
    BlockQ2_K block{};
    block.d = PackedF16::from(*std::max_element(steps, steps + 16) / 15.0f);
    block.dmin = PackedF16::from(*std::max_element(minima, minima + 16) / 15.0f);
    for (int g = 0; g < 16; ++g) {
      const int s = nearest_level(steps[g], block.d.value(), 0, 15);
      const int m = nearest_level(minima[g], block.dmin.value(), 0, 15);
      block.scales[g] = static_cast<uint8_t>(s | m << 4);
    }
    for (int i = 0; i < kElements; ++i) {
      const uint8_t group = block.scales[i / 16];
      const float offset = block.dmin.value() * static_cast<float>(group >> 4);
      const int q = nearest_level(in[i] + offset, block.d.value() * static_cast<float>(group & 15), 0, 3);
      uint8_t& byte = block.qs[32 * (i / 128) + i % 32];
      byte = static_cast<uint8_t>(byte | q << (2 * ((i / 32) % 4)));
    }
    return block;
  }
};
static_assert(sizeof(BlockQ2_K) == 84);

}  // namespace tribar::quant
