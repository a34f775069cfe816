#include "kernel/panel/pack.h"

#include <algorithm>
#include <cstring>

#include "kernel/panel/unroll.h"

namespace tribar::kernel::panel {
namespace {

constexpr uint64_t low_bits_mask(int bits) { return ((uint64_t{1} << bits) - 1) * kEveryByte; }

// The dwords of one row and one group of 32 columns in a plane of `bits` bits, gathered in registers: a panel block is
// written once and never read back.
template <int bits>
struct PlaneWords {
  static_assert(bits == 1 || bits == 2 || bits == 4 || bits == 8);
  static constexpr int kStepsPerVector = 8 / bits;
  uint32_t words[bits] = {};

  // `codes` of steps 2 * pair and 2 * pair + 1, one a byte, of which only the low `bits` bits are set.
  template <int pair>
  TRIBAR_INLINE void add(uint64_t codes) {
    constexpr int kStep = 2 * pair;
    words[kStep / kStepsPerVector] |= static_cast<uint32_t>(codes) << (bits * (kStep % kStepsPerVector));
    words[(kStep + 1) / kStepsPerVector] |= static_cast<uint32_t>(codes >> 32)
                                            << (bits * ((kStep + 1) % kStepsPerVector));
  }
  template <int bytes>
  TRIBAR_INLINE void store(uint8_t (*plane)[bytes], int row) const {
    unroll<bits>([&](auto v) TRIBAR_INLINE_LAMBDA { std::memcpy(plane[v] + 4 * row, &words[v], sizeof words[v]); });
  }
};

// One file block: `first_group` is its first group of 32 columns within the panel block.
template <typename Format, int R>
TRIBAR_INLINE void pack_codes(const typename Format::Source& source, int first_group, int row,
                              PanelBlock<Format, R>* out) {
  constexpr int kGroups = static_cast<int>(Format::Source::kElements / 32);
  unroll<kGroups>([&](auto g) TRIBAR_INLINE_LAMBDA {
    PlaneWords<Format::kLowBits> low;
    PlaneWords<Format::kHighBits == 0 ? 1 : Format::kHighBits> high;
    unroll<kStepsPerGroup / 2>([&](auto pair) TRIBAR_INLINE_LAMBDA {
      const uint64_t codes = Format::codes8(source, 4 * g + pair);
      low.template add<pair>(codes & low_bits_mask(Format::kLowBits));
      if constexpr (Format::kHighBits != 0) {
        high.template add<pair>((codes >> Format::kLowBits) & low_bits_mask(Format::kHighBits));
      }
    });
    low.store(out->low[first_group + g], row);
    if constexpr (Format::kHighBits != 0) high.store(out->high[first_group + g], row);
  });
}

template <typename T, int R>
void pack_plain_panel(const WeightView& source, int64_t first_row, T* out) {
  const int64_t count = std::min<int64_t>(R, source.rows - first_row);
  const int64_t stride = source.cols * static_cast<int64_t>(sizeof(T));
  for (int64_t r = 0; r < R; ++r) {
    const std::byte* row = source.data + (first_row + r) * stride;
    for (int64_t c = 0; c < source.cols; ++c) {
      T value{};
      if (r < count) std::memcpy(&value, row + c * static_cast<int64_t>(sizeof(T)), sizeof(T));
      out[c * R + r] = value;
    }
  }
}

}  // namespace

template <typename Format, int R>
void pack(const WeightView& source, std::byte* packed, Shard shard) {
  using Source = typename Format::Source;
  using Block = PanelBlock<Format, R>;
  const int64_t blocks = blocks_per_panel<Format>(source.cols);
  const int64_t source_blocks = source.cols / Source::kElements;
  const auto* rows = reinterpret_cast<const Source*>(source.data);
  const auto [begin, end] = shard.range(panels_of(source.rows, R));
  for (int64_t panel = begin; panel < end; ++panel) {
    const auto count = static_cast<int>(std::min<int64_t>(R, source.rows - panel * R));
    auto* out = reinterpret_cast<Block*>(packed) + panel * blocks;
    for (int64_t b = 0; b < blocks; ++b, ++out) {
      const auto parts = static_cast<int>(std::min<int64_t>(Format::kParts, source_blocks - b * Format::kParts));
      if (count < R || parts < Format::kParts) std::memset(static_cast<void*>(out), 0, sizeof(Block));
      for (int row = 0; row < count; ++row) {
        const Source* from = rows + (panel * R + row) * source_blocks + b * Format::kParts;
        for (int part = 0; part < parts; ++part) {
          out->scales.set(from[part], part, row);
          pack_codes<Format, R>(from[part], part, row, out);
        }
      }
    }
  }
}

template <typename T, int R>
void pack_plain(const WeightView& source, std::byte* packed, Shard shard) {
  const auto [begin, end] = shard.range(panels_of(source.rows, R));
  for (int64_t panel = begin; panel < end; ++panel) {
    pack_plain_panel<T, R>(source, panel * R, reinterpret_cast<T*>(packed) + panel * R * source.cols);
  }
}

#define TRIBAR_PACK_FORMAT(Format)                                     \
  template void pack<Format, 8>(const WeightView&, std::byte*, Shard); \
  template void pack<Format, 16>(const WeightView&, std::byte*, Shard);
TRIBAR_PACK_FORMAT(Q4_0)
TRIBAR_PACK_FORMAT(Q4_1)
TRIBAR_PACK_FORMAT(Q5_0)
TRIBAR_PACK_FORMAT(Q5_1)
TRIBAR_PACK_FORMAT(Q8_0)
TRIBAR_PACK_FORMAT(Q2_K)
TRIBAR_PACK_FORMAT(Q3_K)
TRIBAR_PACK_FORMAT(Q4_K)
TRIBAR_PACK_FORMAT(Q5_K)
TRIBAR_PACK_FORMAT(Q6_K)
TRIBAR_PACK_FORMAT(IQ4_NL)
TRIBAR_PACK_FORMAT(IQ4_XS)
TRIBAR_PACK_FORMAT(MXFP4)
#undef TRIBAR_PACK_FORMAT

template void pack_plain<uint16_t, 8>(const WeightView&, std::byte*, Shard);
template void pack_plain<uint16_t, 16>(const WeightView&, std::byte*, Shard);
template void pack_plain<uint32_t, 8>(const WeightView&, std::byte*, Shard);
template void pack_plain<uint32_t, 16>(const WeightView&, std::byte*, Shard);

}  // namespace tribar::kernel::panel
