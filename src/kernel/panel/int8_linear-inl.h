// Linear layers on packed integer weights and Q8Act activations.
//
//   run = &Int8Linear<Avx512, Q4_K>::run;  run_wide = &Int8Linear<Avx512, Q4_K, true>::run
//
// For each output element, over groups g of 32 columns in order (h: the one or two scales of a group):
//   t = Σ_h scale[g,h] · (Σ code · q − offset · Σ q)            the integer sums are exact
//   acc = fma(t, x_scale[g], acc);  acc = fma(min[g,h], x_scale[g] · Σ_h q, acc)   where the format has minima
// `wide` reads activations that share a scale among 256 columns, so that a product costs one multiply-add less:
//   t = Σ_g,h scale[g,h] · (Σ code · q − offset · Σ q) + Σ_g,h min[g,h] · Σ_h q   over eight groups
//   acc = fma(t, x_scale, acc)
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

template <typename V, typename Format, bool wide = false>
struct Int8Linear {
  using F = typename V::F;
  using I = typename V::I;
  using Block = PanelBlock<Format, V::kRows>;
  using Head = typename Format::template Scales<V::kRows>::template Head<V>;
  template <int N>
  using Group = ActGroup<Format, N, wide>;
  using Dot = typename V::template Dot<kMaxUnpackedCode<Format>>;

  static constexpr int64_t kPanelGroupBytes = 512 << 10;  // half of the smallest L2 among our machines
  // How far ahead of the arithmetic a stream of weights is fetched: page borders stop the hardware's prefetcher, and
  // panels that lie in the second-level cache do not start it. Measured, docs/performance.md.
  static constexpr int64_t kPrefetchBytes = 2048;

  static constexpr int64_t kChunkBlocks = 2048 / kBlockCols<Format>;
  // Blocks whose activations share a scale.
  static constexpr int64_t kBlocksPerWide = wide ? act_q8::kWideGroup / kBlockCols<Format> : 1;

  // Tokens whose tiles are filled at once.
  static constexpr int64_t kFilledTokens = 512;
  static constexpr int kMaxTokens = V::kMaxTokens;

  // A group of panels, a chunk of their columns, a tile of tokens.
  struct Call {
    const LinearArgs& args;
    int64_t blocks;  // of a panel
    int64_t panel_begin;
    int64_t panel_end;
    int64_t block_begin;
    int64_t block_end;
    int64_t first_token;
    std::byte* tile;  // TileMemory
  };

  // Scratch memory of a tile of N tokens and `groups` groups, in order: the groups, what eight of them share, and for
  // wide tiles the sums of the panel in work, which would not fit into registers beside those of 256 columns.
  template <int N>
  struct TileMemory {
    Group<N>* groups;
    ActWide<Format, N>* shared;
    float* sums;  // [N][kRows]

    static int64_t wides(int64_t groups) { return wide ? (groups + kGroupsPerWide - 1) / kGroupsPerWide : 0; }
    static int64_t shared_offset(int64_t groups) {
      return (groups * static_cast<int64_t>(sizeof(Group<N>)) + 63) / 64 * 64;
    }
    static int64_t sums_offset(int64_t groups) {
      const auto bytes = wides(groups) * static_cast<int64_t>(sizeof(ActWide<Format, N>));
      return shared_offset(groups) + (bytes + 63) / 64 * 64;
    }
    static int64_t bytes(int64_t groups) {
      return sums_offset(groups) + (wide ? N * V::kRows * static_cast<int64_t>(sizeof(float)) : 0);
    }
    static TileMemory at(std::byte* memory, int64_t groups) {
      return {reinterpret_cast<Group<N>*>(memory),
              reinterpret_cast<ActWide<Format, N>*>(memory + shared_offset(groups)),
              reinterpret_cast<float*>(memory + sums_offset(groups))};
    }
  };
  static int64_t groups_of(const Call& call) { return (call.block_end - call.block_begin) * Format::kGroups; }

  // t = or += the products of one half (or all) of a group.
  template <int N, int half, bool add>
  TRIBAR_INLINE static void dot_half(const Block& block, const Head& head, int group, const Group<N>& x, F (&t)[N]) {
    constexpr int kSteps = kStepsPerGroup / Format::kHalves;
    Dot dot[N];
    unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA {
      if constexpr (Dot::kAddsBias && Group<N>::kBias) {
        dot[n].start(x.bias[half][n]);
      } else {
        dot[n].start();
      }
    });
    unroll<kSteps>([&](auto s) TRIBAR_INLINE_LAMBDA {
      constexpr int kStep = half * kSteps + s;
      const auto codes = unpack_codes<V, Format, kStep>(block, group);
      unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { dot[n].template add<s>(codes, x.q[kStep][n]); });
    });
    const F scale = block.scales.template scale<V>(head, group, half);
    unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA {
      t[n] = add ? V::fma(dot[n].value(), scale, t[n]) : V::mul(dot[n].value(), scale);
    });
  }

  template <int N>
  TRIBAR_INLINE static void add_mins(const Block& block, const Head& head, int group, const Group<N>& x, F (&sum)[N]) {
    if constexpr (Group<N>::kSums) {
      unroll<Format::kHalves>([&](auto half) TRIBAR_INLINE_LAMBDA {
        const F min = block.scales.template min<V>(head, group, half);
        unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { sum[n] = V::fma(min, V::set1(x.sum[half][n]), sum[n]); });
      });
    }
  }

  // A group whose activations have a scale of their own.
  template <int N>
  TRIBAR_INLINE static void add_group(const Block& block, const Head& head, int group, const Group<N>& x, F (&acc)[N]) {
    F t[N];
    dot_half<N, 0, false>(block, head, group, x, t);
    if constexpr (Format::kHalves == 2) dot_half<N, 1, true>(block, head, group, x, t);
    unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { acc[n] = V::fma(t[n], V::set1(x.scale[n]), acc[n]); });
    add_mins<N>(block, head, group, x, acc);
  }

  // A group of eight that share the scale.
  template <int N>
  TRIBAR_INLINE static void add_wide_group(const Block& block, const Head& head, int group, const Group<N>& x,
                                           F (&t)[N]) {
    dot_half<N, 0, true>(block, head, group, x, t);
    if constexpr (Format::kHalves == 2) dot_half<N, 1, true>(block, head, group, x, t);
    add_mins<N>(block, head, group, x, t);
  }

  // Integer minima of a block of 256: two groups a product.
  template <int N>
  TRIBAR_INLINE static void add_paired_mins(const Block& block, const Head& head, const ActWide<Format, N>& x,
                                            F (&t)[N]) {
    I sum[N];
    unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { sum[n] = V::zero_i32(); });
    unroll<kGroupsPerWide / 2>([&](auto p) TRIBAR_INLINE_LAMBDA {
      const I mins = block.scales.template min_pair<V>(p);
      unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { sum[n] = V::dot_pairs(sum[n], mins, x.sum_pair[p][n]); });
    });
    unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { t[n] = V::fma(V::to_float(sum[n]), head.minus_dmin, t[n]); });
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
  static void fill_tile(const Call& call) {
    const auto tile = TileMemory<N>::at(call.tile, groups_of(call));
    fill_act_tile<V, Format, N, wide>(call.args.x, call.first_token, call.block_begin * Format::kGroups,
                                      groups_of(call), tile.groups, tile.shared);
  }

  // One block with all its groups added to `sum`.
  template <int N>
  TRIBAR_INLINE static void add_block(const Block& block, const Head& head, const Group<N>* x, F (&sum)[N]) {
    for (int g = 0; g < Format::kGroups; ++g) {
      prefetch(&block, g);
      if constexpr (wide) {
        add_wide_group<N>(block, head, g, x[g], sum);
      } else {
        add_group<N>(block, head, g, x[g], sum);
      }
    }
  }

  // The blocks from `block` to the end of their wide group, or to `end`.
  template <int N>
  TRIBAR_INLINE static void add_wide(const Block* block, const Block* end, const Group<N>* x,
                                     const ActWide<Format, N>& shared, float* sums) {
    F t[N];
    unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { t[n] = V::zero(); });
    for (; block < end; ++block, x += Format::kGroups) {
      const Head head = block->scales.template head<V>();
      add_block<N>(*block, head, x, t);
      if constexpr (kHasPairedMins<Format>) add_paired_mins<N>(*block, head, shared, t);
    }
    unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA {
      float* sum = sums + n * V::kRows;
      V::store(sum, V::fma(t[n], V::set1(shared.scale[n]), V::load(sum)));
    });
  }

  // All blocks of a panel's chunk.
  template <int N>
  TRIBAR_INLINE static void add_panel(const Block* block, const Block* end, const TileMemory<N>& tile, F (&acc)[N]) {
    const Group<N>* x = tile.groups;
    if constexpr (wide) {
      unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { V::store(tile.sums + n * V::kRows, acc[n]); });
      const ActWide<Format, N>* shared = tile.shared;
      for (; block < end; block += kBlocksPerWide, x += kBlocksPerWide * Format::kGroups) {
        add_wide<N>(block, std::min(block + kBlocksPerWide, end), x, *shared++, tile.sums);
      }
      unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { acc[n] = V::load(tile.sums + n * V::kRows); });
    } else {
      for (; block < end; ++block, x += Format::kGroups) {
        add_block<N>(*block, block->scales.template head<V>(), x, acc);
      }
    }
  }

  template <int N>
  static void run_tile(const Call& call) {
    const auto tile = TileMemory<N>::at(call.tile, groups_of(call));
    const auto* first = reinterpret_cast<const Block*>(call.args.w.data);
    for (int64_t panel = call.panel_begin; panel < call.panel_end; ++panel) {
      const int64_t row = panel * V::kRows;
      const auto count = static_cast<int>(std::min<int64_t>(V::kRows, call.args.w.rows - row));
      F acc[N];
      load_sums<N>(call, row, count, acc);
      const Block* begin = first + panel * call.blocks;
      add_panel<N>(begin + call.block_begin, begin + call.block_end, tile, acc);
      store<N>(call, row, count, acc);
    }
  }

  // One group's share of the lines, so that the requests come evenly.
  TRIBAR_INLINE static void prefetch(const Block* block, int group) {
    constexpr int64_t kShare = sizeof(Block) / Format::kGroups;
    const auto* ahead = reinterpret_cast<const std::byte*>(block) + kPrefetchBytes + group * kShare;
    for (int64_t i = 0; i < kShare; i += 64) __builtin_prefetch(ahead + i);
  }

  struct TileFns {
    void (*fill)(const Call&);
    void (*run)(const Call&);
  };
  template <int... n>
  static TileFns tile_fns(int64_t tokens, std::integer_sequence<int, n...>) {
    static constexpr TileFns kFns[] = {{&fill_tile<n + 1>, &run_tile<n + 1>}...};
    return kFns[tokens - 1];
  }

  // Full tiles, but the last two share evenly: 9 tokens are 5 + 4, not 8 + 1.
  static int64_t tile_begin(int64_t tokens, int64_t tiles, int64_t tile) {
    if (tile == tiles) return tokens;
    if (tile == 0 || tile < tiles - 1) return tile * kMaxTokens;
    const int64_t previous = (tile - 1) * kMaxTokens;
    return previous + (tokens - previous + 1) / 2;
  }

  // Calls fn(tile's functions, call) for every tile of the tokens.
  template <typename Fn>
  TRIBAR_INLINE static void for_each_tile(Call call, int64_t tokens, int64_t tile_bytes, Fn&& fn) {
    const int64_t first_token = call.first_token;
    const int64_t tiles = (tokens + kMaxTokens - 1) / kMaxTokens;
    for (int64_t tile = 0; tile < tiles; ++tile, call.tile += tile_bytes) {
      const int64_t begin = tile_begin(tokens, tiles, tile);
      call.first_token = first_token + begin;
      fn(tile_fns(tile_begin(tokens, tiles, tile + 1) - begin, std::make_integer_sequence<int, kMaxTokens>{}), call);
    }
  }

  // Tokens [token, token + tokens), panels [begin, end).
  static void run_tokens(const LinearArgs& args, int64_t token, int64_t tokens, int64_t begin, int64_t end) {
    const int64_t blocks = blocks_per_panel<Format>(args.w.cols);
    const bool one_tile = tokens <= kMaxTokens;
    // One tile: each panel is one stream from end to end. More: chunks of the columns, so that a tile of activations
    // meets many panels in L2 even where the rows are long.
    const int64_t chunks = one_tile ? 1 : (blocks + kChunkBlocks - 1) / kChunkBlocks;
    const int64_t chunk = ((blocks + chunks - 1) / chunks + kBlocksPerWide - 1) / kBlocksPerWide * kBlocksPerWide;
    const int64_t chunk_bytes = chunk * static_cast<int64_t>(sizeof(Block));
    const int64_t group = one_tile ? end - begin : std::max<int64_t>(1, kPanelGroupBytes / chunk_bytes);
    const int64_t tile_bytes = TileMemory<kMaxTokens>::bytes(chunk * Format::kGroups);
    std::byte* const memory = thread_scratch<std::byte>((tokens + kMaxTokens - 1) / kMaxTokens * tile_bytes);
    for (int64_t b = 0; b < blocks; b += chunk) {
      Call call{args, blocks, begin, end, b, std::min(blocks, b + chunk), token, memory};
      for_each_tile(call, tokens, tile_bytes, [](TileFns fns, const Call& tile) { fns.fill(tile); });
      for (; call.panel_begin < end; call.panel_begin = call.panel_end) {
        call.panel_end = std::min(end, call.panel_begin + group);
        for_each_tile(call, tokens, tile_bytes, [](TileFns fns, const Call& tile) { fns.run(tile); });
      }
    }
  }

  static void run(const LinearArgs& args, Shard shard) {
    const auto [begin, end] = shard.range(panels_of(args.w.rows, V::kRows));
    for (int64_t token = 0; token < args.x.rows; token += kFilledTokens) {
      run_tokens(args, token, std::min(kFilledTokens, args.x.rows - token), begin, end);
    }
  }
};

}  // namespace tribar::kernel::panel
