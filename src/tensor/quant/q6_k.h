// Q6_K: 256 values in 16 groups of 16, x = d * s * (q - 32) with q in 0..63 and s in -128..127.
// Within a half of 128 values, value 32k + l has its low four bits in a nibble of ql[32 * (k % 2) + l] (high nibble for
// k >= 2) and its upper two in bits 2k of qh[l]; the second half uses the second halves of ql and qh.
// Source: ggml block_q6_K.
#pragma once

#include "tensor/dtype.h"
#include "tensor/half.h"
#include "tensor/quant/rounding.h"

namespace tribar::quant {

struct BlockQ6_K {
  static constexpr DType kType = DType::kQ6_K;
  static constexpr int64_t kElements = 256;
  uint8_t ql[128];
  uint8_t qh[64];
  int8_t scales[16];
  PackedF16 d;

  void decode(float* out) const {
    const float scale = d.value();
    for (int i = 0; i < kElements; ++i) {
      const Position at(i);
      const int q = ((ql[at.low_byte] >> at.low_shift) & 15) | ((qh[at.high_byte] >> at.high_shift) & 3) << 4;
      out[i] = scale * static_cast<float>(scales[i / 16]) * static_cast<float>(q - 32);
    }
  }

  static BlockQ6_K encode(const float* in) {
    float steps[16];
    for (int g = 0; g < 16; ++g) steps[g] = signed_peak(in + 16 * g, 16) / -32.0f;
    BlockQ6_K block{};
    block.d = PackedF16::from(signed_peak(steps, 16) / -128.0f);
    for (int g = 0; g < 16; ++g)
      block.scales[g] = static_cast<int8_t>(nearest_level(steps[g], block.d.value(), -128, 127));
    for (int i = 0; i < kElements; ++i) {
      const Position at(i);
      const int q = nearest_level(in[i], block.d.value() * static_cast<float>(block.scales[i / 16]), -32, 31) + 32;
      block.ql[at.low_byte] = static_cast<uint8_t>(block.ql[at.low_byte] | (q & 15) << at.low_shift);
      block.qh[at.high_byte] = static_cast<uint8_t>(block.qh[at.high_byte] | (q >> 4) << at.high_shift);
    }
    return block;
  }

 private:
  // Where the bits of value `i` lie.
  struct Position {
    explicit Position(int i)
        : low_byte(64 * (i / 128) + i % 64),
          low_shift(4 * ((i / 64) % 2)),
          high_byte(32 * (i / 128) + i % 32),
          high_shift(2 * ((i / 32) % 4)) {}
    int low_byte;
    int low_shift;
    int high_byte;
    int high_shift;
  };
};
static_assert(sizeof(BlockQ6_K) == 210);

}  // namespace tribar::quant
