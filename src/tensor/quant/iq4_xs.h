// IQ4_XS: 256 values in 8 groups of 32, x = d * (s - 32) * kIq4Levels[q] with s in 0..63.
// Within a group qs[j] holds value j low and value j + 16 high, as IQ4_NL. The scale of group g has its low four bits
// in a nibble of scales_l[g / 2] and its upper two in bits 2g of scales_h. Source: ggml block_iq4_xs.
#pragma once

#include "tensor/dtype.h"
#include "tensor/half.h"
#include "tensor/quant/iq4_nl.h"
#include "tensor/quant/rounding.h"

namespace tribar::quant {

struct BlockIQ4_XS {
  static constexpr DType kType = DType::kIQ4_XS;
  static constexpr int64_t kElements = 256;
  PackedF16 d;
  PackedU16 scales_h;
  uint8_t scales_l[4];
  uint8_t qs[128];

  // s - 32 of group `g`.
  int group_scale(int g) const {
    const int low = (scales_l[g / 2] >> (4 * (g % 2))) & 15;
    const int high = (scales_h.value() >> (2 * g)) & 3;
    return (low | high << 4) - 32;
  }

  void decode(float* out) const {
    const float scale = d.value();
    for (int g = 0; g < 8; ++g) {
      const float step = scale * static_cast<float>(group_scale(g));
      const uint8_t* q = qs + 16 * g;
      for (int j = 0; j < 16; ++j) {
        out[32 * g + j] = step * static_cast<float>(kIq4Levels[q[j] & 15]);
        out[32 * g + j + 16] = step * static_cast<float>(kIq4Levels[q[j] >> 4]);
      }
    }
  }

  static BlockIQ4_XS encode(const float* in) {
    float steps[8];
    for (int g = 0; g < 8; ++g) steps[g] = signed_peak(in + 32 * g, 32) / -127.0f;
    BlockIQ4_XS block{};
    block.d = PackedF16::from(signed_peak(steps, 8) / -32.0f);
    uint16_t high = 0;
    for (int g = 0; g < 8; ++g) {
      const int s = nearest_level(steps[g], block.d.value(), -32, 31) + 32;
      block.scales_l[g / 2] = static_cast<uint8_t>(block.scales_l[g / 2] | (s & 15) << (4 * (g % 2)));
      high = static_cast<uint16_t>(high | (s >> 4) << (2 * g));
    }
    block.scales_h = PackedU16::from(high);
    for (int i = 0; i < kElements; ++i) {
      const float step = block.d.value() * static_cast<float>(block.group_scale(i / 32));
      uint8_t& byte = block.qs[16 * (i / 32) + i % 16];
      byte = static_cast<uint8_t>(byte | nearest_iq4_level(in[i], step) << (4 * ((i / 16) % 2)));
    }
    return block;
  }
};
static_assert(sizeof(BlockIQ4_XS) == 136);

}  // namespace tribar::quant
