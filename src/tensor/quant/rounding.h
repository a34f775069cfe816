// How encoders pick the nearest level. Encoders need not be the best of their kind, only valid and close.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tribar::quant {

// x / step as a level in [low, high]; a step of 0 (a block of zeros) gives the level nearest to 0. NaN gives `low`.
inline int nearest_level(float x, float step, int low, int high) {
  const float level = step != 0.0f ? std::nearbyint(x / step) : 0.0f;
  if (!(level > static_cast<float>(low))) return low;
  return level < static_cast<float>(high) ? static_cast<int>(level) : high;
}

struct ValueRange {
  float low = 0.0f;
  float high = 0.0f;
};

// Lowest and highest value; with `low` at most 0, because K-quants store a minimum that is never positive.
inline ValueRange range_below_zero(const float* x, int64_t n) {
  ValueRange range;
  for (int64_t i = 0; i < n; ++i) {
    range.low = std::min(range.low, x[i]);
    range.high = std::max(range.high, x[i]);
  }
  return range;
}

// The value of largest magnitude, with its sign. Written as two extremes: clang 19 at -O3 miscompiles the obvious loop that
// keeps the x of the largest |x| (it returned the second largest of 16).
inline float signed_peak(const float* x, int64_t n) {
  const ValueRange range = range_below_zero(x, n);
  return -range.low > range.high ? range.low : range.high;
}

}  // namespace tribar::quant
