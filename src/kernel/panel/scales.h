// How a panel block stores the scales and minima of its rows, one struct a scheme.
//
// `R` is the number of rows of a panel. set() writes the numbers of one row from a file block; head(), scale() and
// min() read those of all R rows as a vector of the instruction set V (kernel/avx512/vec.h, kernel/avx2/vec.h).
// Everything keeps the file's precision; six-bit numbers are widened to bytes. scale() and min() round as
// quant::dequantize_row does. kPairedMins: minima are dmin times integers, and min_pair() gives those of two groups
// side by side for 16-bit dot products. Threads: plain data.
#pragma once

#include <bit>
#include <cstdint>

#include "tensor/half.h"

namespace tribar::kernel::panel {

// One half-precision scale a group of 32 (Q4_0, Q5_0, Q8_0, IQ4_NL).
template <int R>
struct HalfScales {
  static constexpr bool kMins = false;
  static constexpr bool kPairedMins = false;
  uint16_t d[2][R];

  template <typename Block>
  void set(const Block& block, int part, int row) {
    d[part][row] = block.d.bits.value();
  }

  template <typename V>
  struct Head {};
  template <typename V>
  Head<V> head() const {
    return {};
  }
  template <typename V>
  typename V::F scale(const Head<V>&, int group, int /*half*/) const {
    return V::load_f16(d[group]);
  }
};

// A half-precision scale and minimum a group of 32: x = d * q + m (Q4_1, Q5_1).
template <int R>
struct HalfScalesMins {
  static constexpr bool kMins = true;
  static constexpr bool kPairedMins = false;
  uint16_t d[2][R];
  uint16_t m[2][R];

  template <typename Block>
  void set(const Block& block, int part, int row) {
    d[part][row] = block.d.bits.value();
    m[part][row] = block.m.bits.value();
  }

  template <typename V>
  struct Head {};
  template <typename V>
  Head<V> head() const {
    return {};
  }
  template <typename V>
  typename V::F scale(const Head<V>&, int group, int /*half*/) const {
    return V::load_f16(d[group]);
  }
  template <typename V>
  typename V::F min(const Head<V>&, int group, int /*half*/) const {
    return V::load_f16(m[group]);
  }
};

// A power of two a group of 32, kept as bfloat16, which holds every one exactly (MXFP4).
template <int R>
struct PowerScales {
  static constexpr bool kMins = false;
  static constexpr bool kPairedMins = false;
  uint16_t d[2][R];

  template <typename Block>
  void set(const Block& block, int part, int row) {
    d[part][row] = static_cast<uint16_t>(std::bit_cast<uint32_t>(e8m0_half_to_f32(block.e)) >> 16);
  }

  template <typename V>
  struct Head {};
  template <typename V>
  Head<V> head() const {
    return {};
  }
  template <typename V>
  typename V::F scale(const Head<V>&, int group, int /*half*/) const {
    return V::load_bf16(d[group]);
  }
};

// x = d * s * q - dmin * m with unsigned integer s and m for each of 8 groups of 32 (Q4_K, Q5_K).
template <int R>
struct KScalesMins {
  static constexpr bool kMins = true;
  static constexpr bool kPairedMins = true;
  uint16_t d[R];
  uint16_t dmin[R];
  uint8_t s[8][R];
  uint8_t m[4][R][2];  // of groups 2p and 2p + 1

  template <typename Block>
  void set(const Block& block, int /*part*/, int row) {
    d[row] = block.d.bits.value();
    dmin[row] = block.dmin.bits.value();
    for (int g = 0; g < 8; ++g) {
      const auto group = block.scales.get(g);
      s[g][row] = group.scale;
      m[g / 2][row][g % 2] = group.min;
    }
  }

  template <typename V>
  struct Head {
    typename V::F d;
    typename V::F minus_dmin;
  };
  template <typename V>
  Head<V> head() const {
    return {V::load_f16(d), V::negate(V::load_f16(dmin))};
  }
  template <typename V>
  typename V::F scale(const Head<V>& head, int group, int /*half*/) const {
    return V::mul(head.d, V::load_u8(s[group]));
  }
  template <typename V>
  typename V::F min(const Head<V>& head, int group, int /*half*/) const {
    return V::mul(head.minus_dmin, V::load_u8_of_pair(m[group / 2][0], group % 2));
  }
  // Integer minima of groups 2p and 2p + 1 of each row, 16 bits each; times head.minus_dmin.
  template <typename V>
  typename V::I min_pair(int p) const {
    return V::load_u8_as_u16(m[p][0]);
  }
};

// The same with four-bit s and m for each of 16 groups of 16 values (Q2_K).
template <int R>
struct KNibbleScalesMins {
  static constexpr bool kMins = true;
  static constexpr bool kPairedMins = false;
  uint16_t d[R];
  uint16_t dmin[R];
  uint8_t sm[16][R];  // s in the low nibble, m in the high one

  template <typename Block>
  void set(const Block& block, int /*part*/, int row) {
    d[row] = block.d.bits.value();
    dmin[row] = block.dmin.bits.value();
    for (int g = 0; g < 16; ++g) sm[g][row] = block.scales[g];
  }

  template <typename V>
  struct Head {
    typename V::F d;
    typename V::F minus_dmin;
  };
  template <typename V>
  Head<V> head() const {
    return {V::load_f16(d), V::negate(V::load_f16(dmin))};
  }
  template <typename V>
  typename V::F scale(const Head<V>& head, int group, int half) const {
    return V::mul(head.d, V::load_u4_low(sm[2 * group + half]));
  }
  template <typename V>
  typename V::F min(const Head<V>& head, int group, int half) const {
    return V::mul(head.minus_dmin, V::load_u4_high(sm[2 * group + half]));
  }
};

// x = d * s * q with signed s for each of G groups of a block of 256 (Q3_K and Q6_K: 16, IQ4_XS: 8).
template <int R, int G>
struct KSignedScales {
  static constexpr bool kMins = false;
  static constexpr bool kPairedMins = false;
  float d[R];  // half precision would leave a hole of the same size before the next 64-byte line
  int8_t s[G][R];

  template <typename Block>
  void set(const Block& block, int /*part*/, int row) {
    d[row] = block.d.value();
    for (int g = 0; g < G; ++g) {
      if constexpr (requires { block.group_scale(g); }) {
        s[g][row] = static_cast<int8_t>(block.group_scale(g));
      } else {
        s[g][row] = block.scales[g];
      }
    }
  }

  template <typename V>
  struct Head {
    typename V::F d;
  };
  template <typename V>
  Head<V> head() const {
    return {V::load(d)};
  }
  template <typename V>
  typename V::F scale(const Head<V>& head, int group, int half) const {
    return V::mul(head.d, V::load_i8(s[group * (G / 8) + half]));
  }
};

}  // namespace tribar::kernel::panel
