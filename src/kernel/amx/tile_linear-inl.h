// Linear layers on packed integer weights and Q8Act activations, sixteen tokens at a time in tile registers.
//
//   run = &TileLinear<Q4_K>::run
//
// The arithmetic is that of kernel/panel/int8_linear-inl.h, operation for operation: a tile instruction adds up the
// products of one group of 32 columns (or half of one) exactly, and scales follow in the same order. So a row has the
// same bits whether it came alone, through vpdpbusd, or as one of 512 through tiles.
//
// A tile product of 16 tokens × 16 rows × 32 columns takes 16 cycles; scaling its 256 sums takes 24 to 40 on the two
// vector ports, which is what limits the kernel. Loops, outermost first:
//   columns in parts, so that the activations of a block of tokens stay in the second-level cache;
//   blocks of tokens, rearranged once;  panels;
//   chunks of a panel's columns, unpacked once to bytes that stay in the first-level cache;  tiles of 16 tokens.
// Between chunks the sums rest in y, which changes no bit. Threads: see kernel/args.h; each shard has whole panels.
#pragma once

#include <algorithm>
#include <cstring>

#include "kernel/amx/tile.h"
#include "kernel/avx512/vec.h"
#include "kernel/panel/int8_linear-inl.h"

namespace tribar::kernel::amx {

using avx512::Avx512;
using panel::unroll;

inline constexpr int kTileTokens = 16;
// Fewer tokens than this are faster through vpdpbusd: unpacking to bytes costs as much as a tile of eight.
inline constexpr int64_t kFewestTokens = 9;

template <typename Format>
struct TileLinear {
  using V = Avx512;
  using F = V::F;
  static constexpr int kRows = V::kRows;
  static constexpr int kHalves = Format::kHalves;
  static constexpr int kHalfCols = 32 / kHalves;
  static constexpr bool kMins = Format::template Scales<kRows>::kMins;
  using Block = panel::PanelBlock<Format, kRows>;

  static constexpr int64_t kActivationBytes = 1 << 20;  // of a block of tokens: half of the L2 of every AMX machine
  static constexpr int64_t kPartCols = 4608;
  static constexpr int64_t kMaxBlockTokens = 512;
  static constexpr int64_t kChunkGroups = 64;

  // 32 columns of 16 tokens.
  struct TokenGroup {
    int8_t q[kHalves][kTileTokens][kHalfCols];
    float scale[kTileTokens];
    float scaled_sum[kHalves][kTileTokens];  // scale * sum of codes
  };
  // 32 columns of 16 rows.
  struct RowGroup {
    int8_t q[8][4 * kRows];  // [step of 4 columns]
    float scale[kHalves][kRows];
    float min[kMins ? kHalves : 1][kRows];
  };
  // Where the tile product of a group lands.
  struct alignas(64) Product {
    int32_t sum[kHalves][kTileTokens][kRows];
  };
  // In groups.
  static constexpr int kHeld = 4 / kHalves;         // in tiles
  static constexpr int kLag = kHeld + 2 / kHalves;  // from multiplying to scaling
  static constexpr int kRing = 2 * kHeld;

  struct Part {
    const LinearArgs& args;
    int64_t blocks;  // of a whole panel
    int64_t group_begin, group_end;
    int64_t token_begin, token_end;
  };

  static int64_t tiles_of(int64_t tokens) { return (tokens + kTileTokens - 1) / kTileTokens; }

  // Tokens past the end are zeros.
  static void fill_tokens(const Part& part, TokenGroup* out) {
    const TensorView& x = part.args.x;
    const int64_t groups = part.group_end - part.group_begin;
    for (int64_t tile = 0; tile < tiles_of(part.token_end - part.token_begin); ++tile, out += groups) {
      for (int n = 0; n < kTileTokens; ++n) {
        const int64_t token = part.token_begin + tile * kTileTokens + n;
        if (token >= part.token_end) {
          for (int64_t g = 0; g < groups; ++g) clear_token(n, out + g);
        } else {
          fill_token(x.row<const std::byte>(token), x.cols, part.group_begin, groups, n, out);
        }
      }
    }
  }
  static void clear_token(int n, TokenGroup* group) {
    group->scale[n] = 0.0f;
    for (int half = 0; half < kHalves; ++half) {
      std::memset(group->q[half][n], 0, kHalfCols);
      group->scaled_sum[half][n] = 0.0f;
    }
  }
  static void fill_token(const std::byte* row, int64_t cols, int64_t begin, int64_t groups, int n, TokenGroup* out) {
    const auto* scale = reinterpret_cast<const float*>(row + act_q8::scale_offset_bytes(cols)) + begin;
    const auto* sum = reinterpret_cast<const int16_t*>(row + act_q8::sum_offset_bytes(cols)) + 2 * begin;
    for (int64_t g = 0; g < groups; ++g) {
      for (int half = 0; half < kHalves; ++half) {
        std::memcpy(out[g].q[half][n], row + 32 * (begin + g) + half * kHalfCols, kHalfCols);
      }
      out[g].scale[n] = scale[g];
      if constexpr (kHalves == 1) {
        out[g].scaled_sum[0][n] = scale[g] * static_cast<float>(sum[2 * g] + sum[2 * g + 1]);
      } else {
        for (int half = 0; half < kHalves; ++half) {
          out[g].scaled_sum[half][n] = scale[g] * static_cast<float>(sum[2 * g + half]);
        }
      }
    }
  }

  static void unpack_group(const Block& block, const typename Format::template Scales<kRows>::template Head<V>& head,
                           int group, RowGroup* out) {
    unroll<panel::kStepsPerGroup>([&](auto step) TRIBAR_INLINE_LAMBDA {
      const auto codes = panel::unpack_codes<V, Format, step>(block, group);
      V::store_bytes(out->q[step], V::sub_bytes(codes, V::set1_byte(panel::kCodeOffset<Format>)));
    });
    unroll<kHalves>([&](auto half) TRIBAR_INLINE_LAMBDA {
      V::store(out->scale[half], block.scales.template scale<V>(head, group, half));
      if constexpr (kMins) V::store(out->min[half], block.scales.template min<V>(head, group, half));
    });
  }
  // Groups [begin, end) of a panel.
  static void unpack(const Block* panel, int64_t begin, int64_t end, RowGroup* out) {
    for (int64_t g = begin; g < end;) {
      const Block& block = panel[g / Format::kGroups];
      const auto head = block.scales.template head<V>();
      do {
        unpack_group(block, head, static_cast<int>(g % Format::kGroups), out++);
        ++g;
      } while (g < end && g % Format::kGroups != 0);
    }
  }

  template <int slot>
  TRIBAR_INLINE static void multiply(const TokenGroup& x, const RowGroup& w) {
    unroll<kHalves>([&](auto half) TRIBAR_INLINE_LAMBDA {
      constexpr int kSum = (kHalves * slot + half) % 4;
      constexpr int kInput = kSum % 2;
      tile::zero<kSum>();
      tile::load<4 + kInput, kHalfCols, kTileTokens * kHalfCols>(x.q[half]);
      tile::load<6 + kInput, 4 * kRows, kRows * kHalfCols>(w.q[half * kHalfCols / 4]);
      tile::dot_signed<kSum, 4 + kInput, 6 + kInput>();
    });
  }
  template <int slot>
  TRIBAR_INLINE static void store(Product* product) {
    unroll<kHalves>([&](auto half) TRIBAR_INLINE_LAMBDA {
      tile::store<(kHalves * slot + half) % 4, 4 * kRows, 4 * kRows * kTileTokens>(product->sum[half]);
    });
  }

  TRIBAR_INLINE static void add_scaled(const TokenGroup& x, const RowGroup& w, const Product& product,
                                       F (&acc)[kTileTokens]) {
    F scale[kHalves], min[kHalves];
    unroll<kHalves>([&](auto half) TRIBAR_INLINE_LAMBDA {
      scale[half] = V::load(w.scale[half]);
      if constexpr (kMins) min[half] = V::load(w.min[half]);
    });
    unroll<kTileTokens>([&](auto n) TRIBAR_INLINE_LAMBDA {
      F t;
      unroll<kHalves>([&](auto half) TRIBAR_INLINE_LAMBDA {
        const F sum = V::load_i32(product.sum[half][n]);
        t = half == 0 ? V::mul(sum, scale[half]) : V::fma(sum, scale[half], t);
      });
      acc[n] = V::fma(t, V::set1(x.scale[n]), acc[n]);
      if constexpr (kMins) {
        unroll<kHalves>([&](auto half) TRIBAR_INLINE_LAMBDA {
          acc[n] = V::fma(min[half], V::set1(x.scaled_sum[half][n]), acc[n]);
        });
      }
    });
  }

  // A pipeline, so that the tile unit and the vector ports work side by side: the sums of a group stay in their tile
  // until it is needed again, and are read back only after the store buffer, which cannot forward them, is done.
  TRIBAR_INLINE static void add_groups(const TokenGroup* x, const RowGroup* w, int64_t groups, F (&acc)[kTileTokens]) {
    alignas(64) Product products[kRing];
    for (int64_t first = 0; first < groups + kLag; first += kRing) {
      unroll<kRing>([&](auto slot) TRIBAR_INLINE_LAMBDA {
        const int64_t g = first + slot;
        constexpr int kStored = (slot + kRing - kHeld) % kRing;
        constexpr int kScaled = (slot + kRing - kLag) % kRing;
        if (g >= kHeld && g - kHeld < groups) store<kStored>(&products[kStored]);
        if (g < groups) multiply<slot>(x[g], w[g]);
        if (g >= kLag && g - kLag < groups) add_scaled(x[g - kLag], w[g - kLag], products[kScaled], acc);
      });
    }
  }

  // Groups [first, first + groups) of the row's columns, tokens [token, token + count).
  struct Output {
    const LinearArgs& args;
    int64_t row, token;
    int rows, tokens;
    bool starts, ends;
  };
  [[gnu::noinline]] static void run_tile(const Output& out, const TokenGroup* x, const RowGroup* w, int64_t groups) {
    F acc[kTileTokens];
    unroll<kTileTokens>([&](auto n) TRIBAR_INLINE_LAMBDA {
      acc[n] = V::zero();
      if (!out.starts && n < out.tokens) acc[n] = V::load_first(out.args.y.f32(out.token + n) + out.row, out.rows);
    });
    add_groups(x, w, groups, acc);
    const bool add_bias = out.args.bias != nullptr && out.ends;
    const F bias = add_bias ? V::load_first(out.args.bias + out.row, out.rows) : V::zero();
    unroll<kTileTokens>([&](auto n) TRIBAR_INLINE_LAMBDA {
      if (n >= out.tokens) return;
      V::store_first(out.args.y.f32(out.token + n) + out.row, add_bias ? V::add(acc[n], bias) : acc[n], out.rows);
    });
  }

  static void run_panel(const Part& part, int64_t panel, const TokenGroup* tokens, RowGroup* rows) {
    const auto* blocks = reinterpret_cast<const Block*>(part.args.w.data) + panel * part.blocks;
    const int64_t all_groups = part.blocks * Format::kGroups;
    const int64_t part_groups = part.group_end - part.group_begin;
    const int64_t row = panel * kRows;
    const auto row_count = static_cast<int>(std::min<int64_t>(kRows, part.args.w.rows - row));
    for (int64_t g = part.group_begin; g < part.group_end; g += kChunkGroups) {
      const int64_t end = std::min(part.group_end, g + kChunkGroups);
      unpack(blocks, g, end, rows);
      prefetch(blocks, end);
      for (int64_t token = part.token_begin; token < part.token_end; token += kTileTokens) {
        const auto count = static_cast<int>(std::min<int64_t>(kTileTokens, part.token_end - token));
        const int64_t tile = (token - part.token_begin) / kTileTokens;
        const TokenGroup* x = tokens + tile * part_groups + (g - part.group_begin);
        run_tile({part.args, row, token, row_count, count, g == 0, end == all_groups}, x, rows, end - g);
      }
    }
  }

  // The next chunk of weights, which the tiles of this one leave time for.
  static void prefetch(const Block* panel, int64_t group) {
    constexpr int64_t kBytes = kChunkGroups / Format::kGroups * static_cast<int64_t>(sizeof(Block));
    const auto* from = reinterpret_cast<const std::byte*>(panel + group / Format::kGroups);
    for (int64_t i = 0; i < kBytes; i += 64) __builtin_prefetch(from + i, 0, 2);
  }

  static tile::Configuration configuration() {
    tile::Configuration c;
    for (int i = 0; i < 4; ++i) c.set(i, kTileTokens, 4 * kRows);
    for (int slot = 0; slot < 2; ++slot) {
      c.set(4 + slot, kTileTokens, kHalfCols);
      c.set(6 + slot, kHalfCols / 4, 4 * kRows);
    }
    return c;
  }

  static void run(const LinearArgs& args, Shard shard) {
    if (args.x.rows < kFewestTokens) return panel::Int8Linear<V, Format>::run(args, shard);
    const auto [begin, end] = shard.range(panel::panels_of(args.w.rows, kRows));
    if (begin == end) return;
    const int64_t blocks = panel::blocks_per_panel<Format>(args.w.cols);
    const int64_t parts = (blocks * panel::kBlockCols<Format> + kPartCols - 1) / kPartCols;
    const int64_t part_blocks = (blocks + parts - 1) / parts;
    const int64_t part_groups = part_blocks * Format::kGroups;
    const int64_t block_tokens = std::clamp(kActivationBytes / (part_groups * 32) / kTileTokens * kTileTokens,
                                            int64_t{kTileTokens}, kMaxBlockTokens);
    const int64_t token_tiles = tiles_of(std::min(block_tokens, args.x.rows));
    auto* memory = thread_scratch<std::byte>(token_tiles * part_groups * static_cast<int64_t>(sizeof(TokenGroup)) +
                                             kChunkGroups * static_cast<int64_t>(sizeof(RowGroup)));
    auto* rows = reinterpret_cast<RowGroup*>(memory);
    auto* tokens = reinterpret_cast<TokenGroup*>(rows + kChunkGroups);
    const tile::Scope scope(configuration());
    for (int64_t token = 0; token < args.x.rows; token += block_tokens) {
      for (int64_t block = 0; block < blocks; block += part_blocks) {
        const Part part{args,
                        blocks,
                        block * Format::kGroups,
                        std::min(blocks, block + part_blocks) * Format::kGroups,
                        token,
                        std::min(args.x.rows, token + block_tokens)};
        fill_tokens(part, tokens);
        for (int64_t panel = begin; panel < end; ++panel) run_panel(part, panel, tokens, rows);
      }
    }
  }
};

}  // namespace tribar::kernel::amx
