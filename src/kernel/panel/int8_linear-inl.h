// Linear layers on packed integer weights and Q8Act activations.
//
//   run = &Int8Linear<Avx512, Q4_K>::run
//
// For each output element, over groups g of 32 columns in order (h: the one or two scales of a group):
//   t = Σ_h scale[g,h] · (Σ code · q − offset · Σ q)            the integer sums are exact
//   acc = fma(t, x_scale[g], acc);  acc = fma(min[g,h], x_scale[g] · Σ_h q, acc)   where the format has minima
// The same operations run in the same order for 1 token and for 512, so a row's bits never depend on its neighbours.
// Each weight panel is read from memory once a call: tokens are the inner loop of a group of panels that fits in L2.
// Threads: see kernel/args.h; each shard has whole panels.
#pragma once

#include <algorithm>

#include "kernel/args.h"
#include "kernel/panel/act_tile-inl.h"
#include "kernel/panel/pack.h"
#include "kernel/panel/unpack-inl.h"
#include "kernel/scratch.h"

namespace tribar::kernel::panel {

template <typename V, typename Format>
struct Int8Linear {
  using F = typename V::F;
  using Block = PanelBlock<Format, V::kRows>;
  using Head = typename Format::template Scales<V::kRows>::template Head<V>;
  static constexpr int64_t kPanelGroupBytes = 512 << 10;  // half of the smallest L2 among our machines
  // How far ahead of the arithmetic a stream of weights is fetched. Measured on 2 Sapphire Rapids cores, decode of a
  // 1.5B Q4_K_M file: 2 KiB ahead 1.14x of 4 KiB or 8 KiB; 1 KiB 1.12x; past the caches (NTA) 0.5x.
  static constexpr int64_t kPrefetchBytes = 2048;

  static constexpr int64_t kChunkBlocks = 2048 / kBlockCols<Format>;

  struct Call {
    const LinearArgs& args;
    int64_t blocks;  // of a panel
    int64_t panel_begin;
    int64_t panel_end;
    int64_t block_begin;  // the chunk of the columns
    int64_t block_end;
    int64_t first_token;
  };

  // Adds one half (or all) of a group to t.
  template <int N, int half>
  TRIBAR_INLINE static void add_half(const Block& block, const Head& head, int group, const ActGroup<N>& x, F (&t)[N]) {
    using Dot = typename V::template Dot<kMaxUnpackedCode<Format>>;
    constexpr int kSteps = kStepsPerGroup / Format::kHalves;
    Dot dot[N];
    unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { dot[n].start(Dot::kAddsBias ? x.bias[half][n] : 0); });
    unroll<kSteps>([&](auto s) TRIBAR_INLINE_LAMBDA {
      constexpr int kStep = half * kSteps + s;
      const auto codes = unpack_codes<V, Format, kStep>(block, group);
      unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { dot[n].template add<s>(codes, x.q[kStep][n]); });
    });
    const F scale = block.scales.template scale<V>(head, group, half);
    unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA {
      t[n] = half == 0 ? V::mul(dot[n].value(), scale) : V::fma(dot[n].value(), scale, t[n]);
    });
  }

  template <int N>
  TRIBAR_INLINE static void add_group(const Block& block, const Head& head, int group, const ActGroup<N>& x,
                                      F (&acc)[N]) {
    F t[N];
    add_half<N, 0>(block, head, group, x, t);
    if constexpr (Format::kHalves == 2) add_half<N, 1>(block, head, group, x, t);
    unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { acc[n] = V::fma(t[n], V::set1(x.scale[n]), acc[n]); });
    if constexpr (Format::template Scales<V::kRows>::kMins) {
      unroll<Format::kHalves>([&](auto half) TRIBAR_INLINE_LAMBDA {
        const F min = block.scales.template min<V>(head, group, half);
        unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { acc[n] = V::fma(min, V::set1(x.scaled_sum[half][n]), acc[n]); });
      });
    }
  }

  // Between chunks of columns the sums rest in y, which changes no bit.
  template <int N>
  TRIBAR_INLINE static void load_sums(const Call& call, int64_t row, int count, F (&acc)[N]) {
    unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA {
      acc[n] = V::zero();
      if (call.block_begin != 0) acc[n] = V::load_first(call.args.y.f32(call.first_token + n) + row, count);
    });
  }

  template <int N>
  static void store(const Call& call, int64_t row, int count, const F (&acc)[N]) {
    const bool add_bias = call.args.bias != nullptr && call.block_end == call.blocks;
    const F bias = add_bias ? V::load_first(call.args.bias + row, count) : V::zero();
    unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA {
      float* y = call.args.y.f32(call.first_token + n) + row;
      const F out = add_bias ? V::add(acc[n], bias) : acc[n];
      if (count == V::kRows) {
        V::store(y, out);
      } else {
        V::store_first(y, out, count);
      }
    });
  }

  template <int N>
  static void run_tile(const Call& call) {
    const int64_t groups = (call.block_end - call.block_begin) * Format::kGroups;
    auto* tile = thread_scratch<ActGroup<N>>(groups);
    fill_act_tile<V, Format, N>(call.args.x, call.first_token, call.block_begin * Format::kGroups, groups, tile);
    const auto* first = reinterpret_cast<const Block*>(call.args.w.data);
    for (int64_t panel = call.panel_begin; panel < call.panel_end; ++panel) {
      const int64_t row = panel * V::kRows;
      const auto count = static_cast<int>(std::min<int64_t>(V::kRows, call.args.w.rows - row));
      F acc[N];
      load_sums<N>(call, row, count, acc);
      const Block* block = first + panel * call.blocks + call.block_begin;
      const ActGroup<N>* x = tile;
      for (int64_t b = call.block_begin; b < call.block_end; ++b, ++block, x += Format::kGroups) {
        const Head head = block->scales.template head<V>();
        for (int g = 0; g < Format::kGroups; ++g) {
          // One or two tokens are a stream at the speed of memory; page borders stop the hardware's prefetcher.
          if constexpr (N <= 2) prefetch(block, g);
          add_group<N>(*block, head, g, x[g], acc);
        }
      }
      store<N>(call, row, count, acc);
    }
  }

  // One group's share of the lines, so that the requests come evenly.
  TRIBAR_INLINE static void prefetch(const Block* block, int group) {
    constexpr int64_t kShare = sizeof(Block) / Format::kGroups;
    const auto* ahead = reinterpret_cast<const std::byte*>(block) + kPrefetchBytes + group * kShare;
    for (int64_t i = 0; i < kShare; i += 64) __builtin_prefetch(ahead + i);
  }

  template <int... n>
  static void run_any(const Call& call, int64_t tokens, std::integer_sequence<int, n...>) {
    using RunTile = void (*)(const Call&);
    static constexpr RunTile kRunTile[] = {&run_tile<n + 1>...};
    kRunTile[tokens - 1](call);
  }

  // Full tiles, but the last two share evenly: 9 tokens are 5 + 4, not 8 + 1.
  static int64_t tile_begin(int64_t tokens, int64_t tiles, int64_t tile) {
    if (tile == tiles) return tokens;
    if (tile == 0 || tile < tiles - 1) return tile * V::kMaxTokens;
    const int64_t previous = (tile - 1) * V::kMaxTokens;
    return previous + (tokens - previous + 1) / 2;
  }

  static void run(const LinearArgs& args, Shard shard) {
    const int64_t blocks = blocks_per_panel<Format>(args.w.cols);
    const int64_t tokens = args.x.rows;
    const int64_t tiles = (tokens + V::kMaxTokens - 1) / V::kMaxTokens;
    const auto [begin, end] = shard.range(panels_of(args.w.rows, V::kRows));
    // One tile: each panel is one stream from end to end. More: chunks of the columns, so that a tile of activations,
    // once rearranged, meets many panels in L2 even where the rows are long.
    const int64_t chunks = tiles == 1 ? 1 : (blocks + kChunkBlocks - 1) / kChunkBlocks;
    const int64_t chunk = (blocks + chunks - 1) / chunks;
    const int64_t chunk_bytes = chunk * static_cast<int64_t>(sizeof(Block));
    const int64_t group = tiles == 1 ? end - begin : std::max<int64_t>(1, kPanelGroupBytes / chunk_bytes);
    for (int64_t first = begin; first < end; first += group) {
      const int64_t last = std::min(end, first + group);
      for (int64_t b = 0; b < blocks; b += chunk) {
        for (int64_t tile = 0; tile < tiles; ++tile) {
          const int64_t token = tile_begin(tokens, tiles, tile);
          const int64_t next = tile_begin(tokens, tiles, tile + 1);
          run_any({args, blocks, first, last, b, std::min(blocks, b + chunk), token}, next - token,
                  std::make_integer_sequence<int, V::kMaxTokens>{});
        }
      }
    }
  }
};

}  // namespace tribar::kernel::panel
