// Q3_K: 256 values in 16 groups of 16, x = d * (s - 32) * (q - 4) with q in 0..7 and s in 0..63.
// Low two bits of q as in Q2_K; the third bit of value i is bit i / 32 of hmask[i % 32]. The scale of group g has its
// low four bits in a nibble of scales[g % 8] (high nibble for g >= 8) and its high two in scales[8 + g % 4].
// Source: ggml block_q3_K.
#pragma once

#include "tensor/dtype.h"
#include "tensor/half.h"
#include "tensor/quant/rounding.h"

namespace tribar::quant {

struct BlockQ3_K {
  static constexpr DType kType = DType::kQ3_K;
  static constexpr int64_t kElements = 256;
  uint8_t hmask[32];
  uint8_t qs[64];
  uint8_t scales[12];
  PackedF16 d;

  // s - 32 of group `g`.
  int group_scale(int g) const {
    const int low = g < 8 ? scales[g] & 15 : scales[g - 8] >> 4;
    const int high = (scales[8 + g % 4] >> (2 * (g / 4))) & 3;
    return (low | high << 4) - 32;
  }
  void set_group_scale(int g, int scale) {
    const int s = scale + 32;
    uint8_t& low = scales[g % 8];
    low = static_cast<uint8_t>(low | (s & 15) << (g < 8 ? 0 : 4));
    uint8_t& high = scales[8 + g % 4];
    high = static_cast<uint8_t>(high | (s >> 4) << (2 * (g / 4)));
  }

  void decode(float* out) const {
    const float scale = d.value();
    for (int i = 0; i < kElements; ++i) {
      const int low = (qs[32 * (i / 128) + i % 32] >> (2 * ((i / 32) % 4))) & 3;
      const int high = (hmask[i % 32] >> (i / 32)) & 1;
      out[i] = scale * static_cast<float>(group_scale(i / 16)) * static_cast<float>((low | high << 2) - 4);
    }
  }

  static BlockQ3_K encode(const float* in) {
    float steps[16];
    for (int g = 0; g < 16; ++g) steps[g] = signed_peak(in + 16 * g, 16) / -4.0f;
    BlockQ3_K block{};
    block.d = PackedF16::from(signed_peak(steps, 16) / -32.0f);
    for (int g = 0; g < 16; ++g) block.set_group_scale(g, nearest_level(steps[g], block.d.value(), -32, 31));
    for (int i = 0; i < kElements; ++i) {
      const float step = block.d.value() * static_cast<float>(block.group_scale(i / 16));
      const int q = nearest_level(in[i], step, -4, 3) + 4;
      uint8_t& low = block.qs[32 * (i / 128) + i % 32];
      low = static_cast<uint8_t>(low | (q & 3) << (2 * ((i / 32) % 4)));
      uint8_t& high = block.hmask[i % 32];
      high = static_cast<uint8_t>(high | (q >> 2) << (i / 32));
    }
    return block;
  }
};
static_assert(sizeof(BlockQ3_K) == 110);

}  // namespace tribar::quant
