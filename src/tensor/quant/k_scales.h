// The 12 bytes in which Q4_K and Q5_K keep eight 6-bit scales and eight 6-bit minima.
//
// Groups 0..3: the scale is the low six bits of byte g, the minimum those of byte g + 4. Groups 4..7: the low four bits
// are the nibbles of byte g + 4 (scale low, minimum high), the upper two are the spare top bits of bytes g - 4 and g.
// Source: ggml get_scale_min_k4. Threads: values.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/half.h"
#include "tensor/quant/rounding.h"

namespace tribar::quant {

struct ScaleAndMin {
  uint8_t scale = 0;
  uint8_t min = 0;
};

struct PackedKScales {
  uint8_t bytes[12];

  ScaleAndMin get(int g) const {
    if (g < 4) return {static_cast<uint8_t>(bytes[g] & 63), static_cast<uint8_t>(bytes[g + 4] & 63)};
    return {static_cast<uint8_t>((bytes[g + 4] & 15) | (bytes[g - 4] >> 6) << 4),
            static_cast<uint8_t>((bytes[g + 4] >> 4) | (bytes[g] >> 6) << 4)};
  }

  static PackedKScales pack(const ScaleAndMin (&groups)[8]) {
    PackedKScales out{};
    for (int g = 0; g < 4; ++g) {
      const ScaleAndMin& low = groups[g];
      const ScaleAndMin& high = groups[g + 4];
      out.bytes[g] = static_cast<uint8_t>(low.scale | (high.scale >> 4) << 6);
      out.bytes[g + 4] = static_cast<uint8_t>(low.min | (high.min >> 4) << 6);
      out.bytes[g + 8] = static_cast<uint8_t>((high.scale & 15) | (high.min & 15) << 4);
    }
    return out;
  }
};

// Scales of a block of eight groups of 32 values with q in 0..levels.
struct KBlockScales {
  PackedF16 d;
  PackedF16 dmin;
  PackedKScales groups;

  static KBlockScales fit(const float* in, int levels) {
    float steps[8];
    float minima[8];
    for (int g = 0; g < 8; ++g) {
      const ValueRange range = range_below_zero(in + 32 * g, 32);
      steps[g] = (range.high - range.low) / static_cast<float>(levels);
      minima[g] = -range.low;
    }
    KBlockScales out;
    out.d = PackedF16::from(*std::max_element(steps, steps + 8) / 63.0f);
    out.dmin = PackedF16::from(*std::max_element(minima, minima + 8) / 63.0f);
    ScaleAndMin groups[8];
    for (int g = 0; g < 8; ++g) {
      groups[g].scale = static_cast<uint8_t>(nearest_level(steps[g], out.d.value(), 0, 63));
      groups[g].min = static_cast<uint8_t>(nearest_level(minima[g], out.dmin.value(), 0, 63));
    }
    out.groups = PackedKScales::pack(groups);
    return out;
  }

  int level_of(float x, int g, int levels) const {
    const ScaleAndMin group = groups.get(g);
    const float offset = dmin.value() * static_cast<float>(group.min);
    return nearest_level(x + offset, d.value() * static_cast<float>(group.scale), 0, levels);
  }
};

}  // namespace tribar::quant
