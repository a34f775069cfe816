// Linear layers on packed integer weights and Q8Act activations.
//
//   run = &Int8Linear<Avx512, Q4_K>::run;  run_wide = &Int8Linear<Avx512, Q4_K, true>::run
//
// int8_tile-inl.h says what is computed. Here it is cut into tiles: panels in groups that fit in L2, columns in chunks
// whose activations fit in L1, tokens in tiles that fit in registers. Each weight panel is read from memory once a
// call: tokens are the inner loop of a group of panels.
// Threads: see kernel/args.h; each shard has whole panels.
#pragma once

#include <algorithm>

#include "kernel/args.h"
#include "kernel/panel/int8_tile-inl.h"
#include "kernel/panel/pack.h"
#include "kernel/scratch.h"

namespace tribar::kernel::panel {

template <typename V, typename Format, bool wide = false>
struct Int8Linear {
  using F = typename V::F;
  using Block = PanelBlock<Format, V::kRows>;
  template <int N>
  using Memory = TileMemory<Format, N, wide>;

  static constexpr int64_t kPanelGroupBytes = 512 << 10;  // half of the smallest L2 among our machines
  static constexpr int64_t kChunkBlocks = 2048 / kBlockCols<Format>;
  // Blocks that begin together with a group of columns that share a scale.
  static constexpr int64_t kBlocksPerWide = wide ? std::max<int64_t>(1, act_q8::kWideGroup / kBlockCols<Format>) : 1;
  // Tokens whose tiles are filled at once.
  static constexpr int64_t kFilledTokens = 512;
  // Up to kSingleTokens meet one panel at a time, more meet two, if the registers of V are enough for that.
  static constexpr bool kPairs = V::kPairTokens > 0;
  static constexpr int kSingleTokens = kPairs ? 2 : V::kMaxTokens;
  static constexpr int kMaxTokens = kPairs ? V::kPairTokens : V::kMaxTokens;
  static constexpr int panels_of_tile(int tokens) { return tokens > kSingleTokens ? 2 : 1; }

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
  static int64_t groups_of(const Call& call) { return (call.block_end - call.block_begin) * Format::kGroups; }

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
    const auto tile = Memory<N>::at(call.tile, groups_of(call));
    fill_act_tile<V, Format, N, wide>(call.args.x, call.first_token, call.block_begin * Format::kGroups,
                                      groups_of(call), tile.groups, tile.shared);
  }

  template <int N>
  static void run_tile(const Call& call) {
    constexpr int kPanels = panels_of_tile(N);
    using Tile = Int8Tile<V, Format, wide, kPanels, N>;
    const auto tile = Memory<N>::at(call.tile, groups_of(call));
    const auto* first = reinterpret_cast<const Block*>(call.args.w.data) + call.block_begin;
    for (int64_t panel = call.panel_begin; panel < call.panel_end; panel += kPanels) {
      // A last panel without a neighbour stands in for it; that half is not stored.
      const auto panels = static_cast<int>(std::min<int64_t>(kPanels, call.panel_end - panel));
      typename Tile::Blocks blocks;
      F acc[kPanels][N];
      int64_t row[kPanels];
      int count[kPanels];
      unroll<kPanels>([&](auto p) TRIBAR_INLINE_LAMBDA {
        const int64_t index = panel + std::min<int64_t>(p, panels - 1);
        row[p] = index * V::kRows;
        count[p] = static_cast<int>(std::min<int64_t>(V::kRows, call.args.w.rows - row[p]));
        blocks.panel[p] = first + index * call.blocks;
        load_sums<N>(call, row[p], count[p], acc[p]);
      });
      Tile::add(blocks, groups_of(call), tile, acc);
      unroll<kPanels>([&](auto p) TRIBAR_INLINE_LAMBDA {
        if (p < panels) store<N>(call, row[p], count[p], acc[p]);
      });
    }
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

  // Full tiles, but the last two share evenly: 9 tokens are 5 + 4, not 6 + 3.
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
    const int64_t group = one_tile ? end - begin : std::max<int64_t>(1, kPanelGroupBytes / chunk_bytes / 2) * 2;
    const int64_t tile_bytes = Memory<kMaxTokens>::bytes(chunk * Format::kGroups);
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
