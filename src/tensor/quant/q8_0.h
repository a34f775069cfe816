// Q8_0: 32 values, x = d * q with q in -128..127 (writers use -127..127). Source: ggml block_q8_0.
#pragma once

#include <cmath>

#include "tensor/dtype.h"
#include "tensor/half.h"
#include "tensor/quant/rounding.h"

namespace tribar::quant {

struct BlockQ8_0 {
  static constexpr DType kType = DType::kQ8_0;
  static constexpr int64_t kElements = 32;
  PackedF16 d;
  int8_t qs[32];

  void decode(float* out) const {
    const float scale = d.value();
    for (int i = 0; i < kElements; ++i) out[i] = static_cast<float>(qs[i]) * scale;
  }

  static BlockQ8_0 encode(const float* in) {
    BlockQ8_0 block;
    block.d = PackedF16::from(std::fabs(signed_peak(in, kElements)) / 127.0f);
    const float scale = block.d.value();
    for (int i = 0; i < kElements; ++i) block.qs[i] = static_cast<int8_t>(nearest_level(in[i], scale, -127, 127));
    return block;
  }
};
static_assert(sizeof(BlockQ8_0) == 34);

}  // namespace tribar::quant
