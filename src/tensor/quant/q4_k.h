// Q4_K: 256 values in 8 groups of 32, x = d * s * q - dmin * m with q in 0..15 and s, m in 0..63.
// Groups 2c and 2c + 1 are the low and high nibbles of qs[32c .. 32c + 31]. Source: ggml block_q4_K.
#pragma once

#include "tensor/dtype.h"
#include "tensor/half.h"
#include "tensor/quant/k_scales.h"

namespace tribar::quant {

struct BlockQ4_K {
  static constexpr DType kType = DType::kQ4_K;
  static constexpr int64_t kElements = 256;
  PackedF16 d;
  PackedF16 dmin;
  PackedKScales scales;
  uint8_t qs[128];

  void decode(float* out) const {
    const float scale = d.value();
    const float min_scale = dmin.value();
    for (int g = 0; g < 8; ++g) {
      const ScaleAndMin group = scales.get(g);
      const float step = scale * static_cast<float>(group.scale);
      const float offset = min_scale * static_cast<float>(group.min);
      const uint8_t* q = qs + 32 * (g / 2);
      const int shift = 4 * (g % 2);
      for (int l = 0; l < 32; ++l) out[32 * g + l] = step * static_cast<float>((q[l] >> shift) & 15) - offset;
    }
  }

  static BlockQ4_K encode(const float* in) {
    const KBlockScales fitted = KBlockScales::fit(in, 15);
    BlockQ4_K block{fitted.d, fitted.dmin, fitted.groups, {}};
    for (int i = 0; i < kElements; ++i) {
      uint8_t& byte = block.qs[32 * (i / 64) + i % 32];
      byte = static_cast<uint8_t>(byte | fitted.level_of(in[i], i / 32, 15) << (4 * ((i / 32) % 2)));
    }
    return block;
  }
};
static_assert(sizeof(BlockQ4_K) == 144);

}  // namespace tribar::quant
