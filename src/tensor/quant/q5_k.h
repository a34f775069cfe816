// Q5_K: 256 values in 8 groups of 32, x = d * s * q - dmin * m with q in 0..31 and s, m in 0..63.
// Low four bits as in Q4_K; the fifth bit of value l of group g is bit g of qh[l]. Source: ggml block_q5_K.
#pragma once

#include "tensor/dtype.h"
#include "tensor/half.h"
#include "tensor/quant/k_scales.h"

namespace tribar::quant {

struct BlockQ5_K {
  static constexpr DType kType = DType::kQ5_K;
  static constexpr int64_t kElements = 256;
  PackedF16 d;
  PackedF16 dmin;
  PackedKScales scales;
  uint8_t qh[32];
  uint8_t qs[128];

  void decode(float* out) const {
    const float scale = d.value();
    const float min_scale = dmin.value();
    for (int g = 0; g < 8; ++g) {
      const ScaleAndMin group = scales.get(g);
      const float step = scale * static_cast<float>(group.scale);
      const float offset = min_scale * static_cast<float>(group.min);
      const uint8_t* low = qs + 32 * (g / 2);
      for (int l = 0; l < 32; ++l) {
        const int q = ((low[l] >> (4 * (g % 2))) & 15) | ((qh[l] >> g) & 1) << 4;
        out[32 * g + l] = step * static_cast<float>(q) - offset;
      }
    }
  }

  static BlockQ5_K encode(const float* in) {
    const KBlockScales fitted = KBlockScales::fit(in, 31);
    BlockQ5_K block{fitted.d, fitted.dmin, fitted.groups, {}, {}};
    for (int i = 0; i < kElements; ++i) {
      const int q = fitted.level_of(in[i], i / 32, 31);
      uint8_t& low = block.qs[32 * (i / 64) + i % 32];
      low = static_cast<uint8_t>(low | (q & 15) << (4 * ((i / 32) % 2)));
      uint8_t& high = block.qh[i % 32];
      high = static_cast<uint8_t>(high | (q >> 4) << (i / 32));
    }
    return block;
  }
};
static_assert(sizeof(BlockQ5_K) == 176);

}  // namespace tribar::quant
