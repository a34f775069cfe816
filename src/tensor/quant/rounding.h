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

// The value of largest magnitude, with its sign; the positive one of two that are equal. From the two extremes, because
// the vectoriser of clang 19 gets the plain search (keep x[i] if its magnitude is larger) wrong.
inline float signed_peak(const float* x, int64_t n) {
  float low = 0.0f;
  float high = 0.0f;
  for (int64_t i = 0; i < n; ++i) {
    low = std::min(low, x[i]);
    high = std::max(high, x[i]);
  }
  return -low > high ? low : high;
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

}  // namespace tribar::quant
