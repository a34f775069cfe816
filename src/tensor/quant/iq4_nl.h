// IQ4_NL: 32 values, x = d * kLevels[q]: sixteen levels that are denser near zero.
// qs[j] holds value j in its low and value j + 16 in its high nibble. Source: ggml block_iq4_nl, kvalues_iq4nl.
#pragma once

#include <array>
#include <cmath>

#include "tensor/dtype.h"
#include "tensor/half.h"
#include "tensor/quant/rounding.h"

namespace tribar::quant {

inline constexpr std::array<int8_t, 16> kIq4Levels = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                      1,    13,   25,  38,  53,  69,  89,  113};

// The index of the level nearest to x / step.
inline int nearest_iq4_level(float x, float step) {
  const float target = step != 0.0f ? x / step : 0.0f;
  int best = 0;
  for (int q = 1; q < 16; ++q) {
    if (std::fabs(target - kIq4Levels[static_cast<size_t>(q)]) <
        std::fabs(target - kIq4Levels[static_cast<size_t>(best)])) {
      best = q;
    }
  }
  return best;
}

struct BlockIQ4_NL {
  static constexpr DType kType = DType::kIQ4_NL;
  static constexpr int64_t kElements = 32;
  PackedF16 d;
  uint8_t qs[16];

  void decode(float* out) const {
    const float scale = d.value();
    for (int j = 0; j < 16; ++j) {
      out[j] = scale * static_cast<float>(kIq4Levels[qs[j] & 15]);
      out[j + 16] = scale * static_cast<float>(kIq4Levels[qs[j] >> 4]);
    }
  }

  static BlockIQ4_NL encode(const float* in) {
    BlockIQ4_NL block;
    block.d = PackedF16::from(signed_peak(in, kElements) / -127.0f);
    const float scale = block.d.value();
    for (int j = 0; j < 16; ++j) {
      block.qs[j] = static_cast<uint8_t>(nearest_iq4_level(in[j], scale) | nearest_iq4_level(in[j + 16], scale) << 4);
    }
    return block;
  }
};
static_assert(sizeof(BlockIQ4_NL) == 18);

}  // namespace tribar::quant
