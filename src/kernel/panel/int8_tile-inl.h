// The arithmetic of a linear layer on packed integer weights: P panels times N tokens.
//
//   Int8Tile<Avx512, Q4_K, wide, 2, 6>::add(blocks, group_count, tile, acc);
//
// For each output element, over groups g of 32 columns in order (h: the one or two scales of a group):
//   t = Σ_h scale[g,h] · (Σ code · q − offset · Σ q)            the integer sums are exact
//   acc = fma(t, x_scale[g], acc);  acc = fma(min[g,h], x_scale[g] · Σ_h q, acc)   where the format has minima
// `wide` reads activations that share a scale among act_q8::kWideGroup columns, so that a product costs one
// multiply-add less:
//   t = Σ_g,h scale[g,h] · (Σ code · q − offset · Σ q) + Σ_g,h min[g,h] · Σ_h q   over the groups that share
//   acc = fma(t, x_scale, acc)
// The same operations run in the same order whatever P and N, so a row's bits never depend on its neighbours.
//
// Two panels a tile halve the loads: a dword of activations is fetched once for both. One panel is one stream of
// weights, which is what few tokens need. Threads: pure functions; the tile belongs to one thread.
#pragma once

#include "kernel/panel/act_tile-inl.h"
#include "kernel/panel/unpack-inl.h"
#include "kernel/prefetch.h"

namespace tribar::kernel::panel {

// Scratch memory of a tile of N tokens and `groups` groups, in order: the groups, and what those that share a scale
// have in common.
template <typename Format, int N, bool wide>
struct TileMemory {
  ActGroup<Format, N, wide>* groups;
  ActWide<Format, N>* shared;

  static int64_t wides(int64_t groups) { return wide ? (groups + kGroupsPerWide - 1) / kGroupsPerWide : 0; }
  static int64_t shared_offset(int64_t groups) {
    return (groups * static_cast<int64_t>(sizeof(ActGroup<Format, N, wide>)) + 63) / 64 * 64;
  }
  static int64_t bytes(int64_t groups) {
    const auto bytes = wides(groups) * static_cast<int64_t>(sizeof(ActWide<Format, N>));
    return shared_offset(groups) + (bytes + 63) / 64 * 64;
  }
  static TileMemory at(std::byte* memory, int64_t groups) {
    return {reinterpret_cast<ActGroup<Format, N, wide>*>(memory),
            reinterpret_cast<ActWide<Format, N>*>(memory + shared_offset(groups))};
  }
};

template <typename V, typename Format, bool wide, int P, int N>
struct Int8Tile {
  using F = typename V::F;
  using I = typename V::I;
  using Block = PanelBlock<Format, V::kRows>;
  using Head = typename Format::template Scales<V::kRows>::template Head<V>;
  using Group = ActGroup<Format, N, wide>;
  using Wide = ActWide<Format, N>;
  using Memory = TileMemory<Format, N, wide>;
  using Dot = typename V::template Dot<kMaxUnpackedCode<Format>>;
  using Sums = F[P][N];

  // The same block of every panel.
  struct Blocks {
    const Block* panel[P];
    int64_t ahead_bytes = prefetch_bytes();

    TRIBAR_INLINE const Block& operator[](int p) const { return *panel[p]; }
    TRIBAR_INLINE void next() {
      unroll<P>([&](auto p) TRIBAR_INLINE_LAMBDA { ++panel[p]; });
    }
    // One group's share of the lines, so that the requests come evenly. Page borders stop the hardware's prefetcher,
    // and panels that lie in the second-level cache do not start it.
    TRIBAR_INLINE void prefetch(int group) const {
      constexpr int64_t kShare = sizeof(Block) / Format::kGroups;
      unroll<P>([&](auto p) TRIBAR_INLINE_LAMBDA {
        const auto* ahead = reinterpret_cast<const std::byte*>(panel[p]) + ahead_bytes + group * kShare;
        unroll<(kShare + 63) / 64>([&](auto line) TRIBAR_INLINE_LAMBDA { __builtin_prefetch(ahead + 64 * line); });
      });
    }
  };
  struct Heads {
    Head panel[P];

    TRIBAR_INLINE explicit Heads(const Blocks& blocks) {
      unroll<P>([&](auto p) TRIBAR_INLINE_LAMBDA { panel[p] = blocks[p].scales.template head<V>(); });
    }
  };

  template <typename Body>
  TRIBAR_INLINE static void for_each(Body&& body) {
    unroll<P>([&](auto p) TRIBAR_INLINE_LAMBDA { unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { body(p, n); }); });
  }

  // One step of every dot product: four columns.
  template <int half, int s>
  TRIBAR_INLINE static void add_step(const Blocks& blocks, int group, const Group& x, Dot (&dot)[P][N]) {
    constexpr int kStep = half * (kStepsPerGroup / Format::kHalves) + s;
    I codes[P];
    unroll<P>([&](auto p) TRIBAR_INLINE_LAMBDA { codes[p] = unpack_codes<V, Format, kStep>(blocks[p], group); });
    unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA {
      if constexpr (P == 1) {
        dot[0][n].template add<s>(codes[0], x.q[kStep][n]);
      } else {
        const I q = V::set1_i32(x.q[kStep][n]);
        unroll<P>([&](auto p) TRIBAR_INLINE_LAMBDA { dot[p][n].template add<s>(codes[p], q); });
      }
    });
  }

  // t = or += the products of one half (or all) of a group.
  template <int half, bool add>
  TRIBAR_INLINE static void dot_half(const Blocks& blocks, const Heads& heads, int group, const Group& x, Sums& t) {
    Dot dot[P][N];
    for_each([&](auto p, auto n) TRIBAR_INLINE_LAMBDA {
      if constexpr (Dot::kAddsBias && Group::kBias) {
        dot[p][n].start(x.bias[half][n]);
      } else {
        dot[p][n].start();
      }
    });
    unroll<kStepsPerGroup / Format::kHalves>([&](auto s)
                                                 TRIBAR_INLINE_LAMBDA { add_step<half, s>(blocks, group, x, dot); });
    unroll<P>([&](auto p) TRIBAR_INLINE_LAMBDA {
      const F scale = blocks[p].scales.template scale<V>(heads.panel[p], group, half);
      unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA {
        t[p][n] = add ? V::fma(dot[p][n].value(), scale, t[p][n]) : V::mul(dot[p][n].value(), scale);
      });
    });
  }

  TRIBAR_INLINE static void add_mins(const Blocks& blocks, const Heads& heads, int group, const Group& x, Sums& sum) {
    if constexpr (Group::kSums) {
      unroll<Format::kHalves>([&](auto half) TRIBAR_INLINE_LAMBDA {
        unroll<P>([&](auto p) TRIBAR_INLINE_LAMBDA {
          const F min = blocks[p].scales.template min<V>(heads.panel[p], group, half);
          unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { sum[p][n] = V::fma(min, V::set1(x.sum[half][n]), sum[p][n]); });
        });
      });
    }
  }

  // A group whose activations have a scale of their own.
  TRIBAR_INLINE static void add_group(const Blocks& blocks, const Heads& heads, int group, const Group& x, Sums& acc) {
    Sums t;
    dot_half<0, false>(blocks, heads, group, x, t);
    if constexpr (Format::kHalves == 2) dot_half<1, true>(blocks, heads, group, x, t);
    for_each([&](auto p, auto n) TRIBAR_INLINE_LAMBDA { acc[p][n] = V::fma(t[p][n], V::set1(x.scale[n]), acc[p][n]); });
    add_mins(blocks, heads, group, x, acc);
  }

  // A group that shares its scale with its neighbours.
  TRIBAR_INLINE static void add_wide_group(const Blocks& blocks, const Heads& heads, int group, const Group& x,
                                           Sums& t) {
    dot_half<0, true>(blocks, heads, group, x, t);
    if constexpr (Format::kHalves == 2) dot_half<1, true>(blocks, heads, group, x, t);
    add_mins(blocks, heads, group, x, t);
  }

  // Integer minima of the groups from `group` on that share a scale: two groups a product.
  TRIBAR_INLINE static void add_paired_mins(const Blocks& blocks, const Heads& heads, int group, const Wide& x,
                                            Sums& t) {
    unroll<P>([&](auto p) TRIBAR_INLINE_LAMBDA {
      I sum[N];
      unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { sum[n] = V::zero_i32(); });
      unroll<kGroupsPerWide / 2>([&](auto pair) TRIBAR_INLINE_LAMBDA {
        const I mins = blocks[p].scales.template min_pair<V>(group / 2 + pair);
        unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA { sum[n] = V::dot_pairs(sum[n], mins, x.sum_pair[pair][n]); });
      });
      unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA {
        t[p][n] = V::fma(V::to_float(sum[n]), heads.panel[p].minus_dmin, t[p][n]);
      });
    });
  }

  // `count` groups of one block from `group` on, without the scale that they share.
  TRIBAR_INLINE static void add_shared(const Blocks& blocks, int group, int count, const Group* x, const Wide& shared,
                                       Sums& t) {
    const Heads heads(blocks);
    for (int g = group; g < group + count; ++g, ++x) {
      blocks.prefetch(g);
      add_wide_group(blocks, heads, g, *x, t);
    }
    if constexpr (kHasPairedMins<Format>) add_paired_mins(blocks, heads, group, shared, t);
  }

  // Up to `count` groups that share a scale, from `group` of the block on; the blocks move on with them.
  TRIBAR_INLINE static void add_wide(Blocks* blocks, int* group, int64_t count, const Group* x, const Wide& shared,
                                     float* sums) {
    Sums t;
    for_each([&](auto p, auto n) TRIBAR_INLINE_LAMBDA { t[p][n] = V::zero(); });
    if constexpr (Format::kGroups > kGroupsPerWide) {
      add_shared(*blocks, *group, kGroupsPerWide, x, shared, t);
      *group = (*group + kGroupsPerWide) % Format::kGroups;
      if (*group == 0) blocks->next();
    } else {
      for (int64_t g = 0; g < count && g < kGroupsPerWide; g += Format::kGroups, blocks->next()) {
        add_shared(*blocks, 0, Format::kGroups, x + g, shared, t);
      }
    }
    for_each([&](auto p, auto n) TRIBAR_INLINE_LAMBDA {
      float* sum = sums + (p * N + n) * V::kRows;
      V::store(sum, V::fma(t[p][n], V::set1(shared.scale[n]), V::load(sum)));
    });
  }

  // acc += `groups` groups of the panels, from `blocks` on; a multiple of Format::kGroups.
  TRIBAR_INLINE static void add(Blocks blocks, int64_t groups, const Memory& tile, Sums& acc) {
    const Group* x = tile.groups;
    if constexpr (wide) {
      // In memory: beside the sums of one wide group they would not fit into the registers.
      alignas(64) float sums[P * N * V::kRows];
      for_each([&](auto p, auto n) TRIBAR_INLINE_LAMBDA { V::store(sums + (p * N + n) * V::kRows, acc[p][n]); });
      const Wide* shared = tile.shared;
      int group = 0;
      for (int64_t g = 0; g < groups; g += kGroupsPerWide, x += kGroupsPerWide, ++shared) {
        add_wide(&blocks, &group, groups - g, x, *shared, sums);
      }
      for_each([&](auto p, auto n) TRIBAR_INLINE_LAMBDA { acc[p][n] = V::load(sums + (p * N + n) * V::kRows); });
    } else {
      for (int64_t g = 0; g < groups; g += Format::kGroups, blocks.next()) {
        const Heads heads(blocks);
        for (int i = 0; i < Format::kGroups; ++i, ++x) {
          blocks.prefetch(i);
          add_group(blocks, heads, i, *x, acc);
        }
      }
    }
  }
};

}  // namespace tribar::kernel::panel
