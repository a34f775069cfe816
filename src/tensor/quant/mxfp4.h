// MXFP4: 32 values, x = 2^(e - 127) * FP4, FP4 (E2M1) one of 0, 0.5, 1, 1.5, 2, 3, 4, 6 with a sign bit.
// The table holds doubled values and the scale is halved, so both are exact. qs[j] holds value j in its low and value j
// + 16 in its high nibble. Source: OCP Microscaling Formats 1.0; ggml block_mxfp4 (nibble order, e = 255 as 2^128).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "tensor/dtype.h"
#include "tensor/half.h"
#include "tensor/quant/rounding.h"

namespace tribar::quant {

inline constexpr std::array<int8_t, 16> kFp4DoubledLevels = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

struct BlockMXFP4 {
  static constexpr DType kType = DType::kMXFP4;
  static constexpr int64_t kElements = 32;
  uint8_t e;
  uint8_t qs[16];

  void decode(float* out) const {
    const float scale = e8m0_half_to_f32(e);
    for (int j = 0; j < 16; ++j) {
      out[j] = static_cast<float>(kFp4DoubledLevels[qs[j] & 15]) * scale;
      out[j + 16] = static_cast<float>(kFp4DoubledLevels[qs[j] >> 4]) * scale;
    }
  }

  static BlockMXFP4 encode(const float* in) {
    BlockMXFP4 block;
    const float peak = std::fabs(signed_peak(in, kElements));
    // The largest FP4 value is 6 = 1.5 * 2^2: a peak of 2^k times 1..2 gets the scale 2^(k - 2).
    const int exponent = peak > 0.0f && std::isfinite(peak) ? std::ilogb(peak) - 2 + 127 : 0;
    block.e = static_cast<uint8_t>(std::clamp(exponent, 0, 254));
    const float scale = e8m0_half_to_f32(block.e);
    for (int j = 0; j < 16; ++j) {
      block.qs[j] = static_cast<uint8_t>(nearest_fp4(in[j], scale) | nearest_fp4(in[j + 16], scale) << 4);
    }
    return block;
  }

 private:
  static int nearest_fp4(float x, float scale) {
    const float target = std::fabs(x) / scale;
    int best = 0;
    for (int q = 1; q < 8; ++q) {
      if (std::fabs(target - kFp4DoubledLevels[static_cast<size_t>(q)]) <
          std::fabs(target - kFp4DoubledLevels[static_cast<size_t>(best)])) {
        best = q;
      }
    }
    return x < 0.0f ? best + 8 : best;
  }
};
static_assert(sizeof(BlockMXFP4) == 17);

}  // namespace tribar::quant
