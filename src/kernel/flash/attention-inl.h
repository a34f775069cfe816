// Flash attention over the paged cache: tiles of kAttentionTile keys, online softmax, query heads of one KV head
// together.
//
//   table->attention = &flash::Attention<Avx512>::run
//
// A unit of work is up to 64 query rows (token, query head) that share a KV head: each key and value tile is turned
// into floats once for all of them. Query rows lie in the lanes of a vector, so there is no sum across lanes anywhere:
//   s[j] = (fma chain over even d) + (fma chain over odd d);  p[j] = exp(s[j] - peak);
//   total and y grow tile by tile, keys in order.
// The two chains let the few rows of a decode step fill a vector: where rows take up to half of the lanes, a row has
// one lane for each chain, and a broadcast of two neighbouring values of a key serves both.
// Tiles start at multiples of 32 from position 0 and an invisible key takes no part in any sum, so a row's bits depend
// neither on the chunk it came in nor on its neighbours. Online softmax: Milakov & Gimelshein 2018; tiling: Dao 2022.
// Threads: see kernel/args.h; units are dealt out in turn, because later ones see more keys.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/thread_team.h"
#include "kernel/args.h"
#include "kernel/flash/vector_math-inl.h"
#include "kernel/kv_address.h"
#include "kernel/panel/unroll.h"
#include "kernel/scratch.h"

namespace tribar::kernel::flash {

inline constexpr int64_t kUnitRows = 64;
inline constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

template <typename V>
struct Attention {
  using F = typename V::F;
  static constexpr int64_t kLanes = V::kRows;
  static constexpr int kKeysAtOnce = V::kMaxTokens;          // 8 keys × 2 vectors of rows, or 4 × 2
  static constexpr int kPairedKeys = 2 * kKeysAtOnce;        // of one vector of rows
  static constexpr int kValueVectors = V::kFloatTokens / 2;  // of a value row at once, for 4 query rows
  static constexpr int64_t kTile = kAttentionTile;

  static int64_t round_up(int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

  // Rows [token][head of the group], in scratch memory.
  struct Unit {
    const AttentionArgs& args;
    const SequenceView& sequence;
    int64_t kv_head;
    int64_t heads;  // query heads of the KV head
    int64_t first;  // token of the sequence's part of the step
    int64_t rows;
    int64_t lanes;   // rows rounded up to whole vectors
    int64_t k_cols;  // k_dim rounded up to an even number
    int64_t v_cols;  // v_dim rounded up
    bool paired;     // a row's two chains lie in neighbouring lanes
    float* queries;  // [k_cols][lanes], or [k_cols / 2][row][2] in one vector if paired
    float* keys;     // [kTile][k_cols]
    float* values;   // [kTile][v_cols]
    float* weights;  // [kTile][lanes]: scores, then their exponentials
    float* out;      // [rows][v_cols]
    float* peak;     // [lanes]
    float* total;    // [lanes]
    float* rescale;  // [lanes]

    int64_t position(int64_t row) const { return sequence.kv_length - sequence.token_count + first + row / heads; }
    int64_t first_visible(int64_t row) const {
      return args.window > 0 ? std::max<int64_t>(position(row) - args.window + 1, 0) : 0;
    }
    int64_t query_head(int64_t row) const { return kv_head * heads + row % heads; }
  };

  // Keys [begin, begin + count); of those, row r sees [from(r), to(r)) counted from begin.
  struct Tile {
    int64_t begin;
    int64_t count;
    bool whole;  // every row sees every key of a full tile
  };
  static int64_t from(const Unit& u, const Tile& t, int64_t row) {
    return std::clamp<int64_t>(u.first_visible(row) - t.begin, 0, t.count);
  }
  static int64_t to(const Unit& u, const Tile& t, int64_t row) {
    return std::clamp<int64_t>(u.position(row) + 1 - t.begin, 0, t.count);
  }

  static void run(const AttentionArgs& args, Shard shard) {
    const int64_t heads = args.heads / args.cache.kv_heads;
    const int64_t tokens_at_once = std::max<int64_t>(1, kUnitRows / heads);
    int64_t turn = 0;
    for (const SequenceView& sequence : args.sequences) {
      for (int64_t first = 0; first < sequence.token_count; first += tokens_at_once) {
        for (int64_t kv_head = 0; kv_head < args.cache.kv_heads; ++kv_head) {
          if (turn++ % shard.count != shard.index) continue;
          const int64_t tokens = std::min(tokens_at_once, sequence.token_count - first);
          Unit unit{args,
                    sequence,
                    kv_head,
                    heads,
                    first,
                    tokens * heads,
                    round_up(tokens * heads),
                    (args.cache.k_dim + 1) / 2 * 2,
                    round_up(args.cache.v_dim),
                    2 * tokens * heads <= kLanes,
                    {},
                    {},
                    {},
                    {},
                    {},
                    {},
                    {},
                    {}};
          run_unit(&unit);
        }
      }
    }
  }

  static void run_unit(Unit* u) {
    lay_out(u);
    start(*u);
    const int64_t last = u->position(u->rows - 1);
    for (int64_t begin = u->first_visible(0) / kTile * kTile; begin <= last; begin += kTile) {
      Tile tile{begin, std::min(kTile, last + 1 - begin), false};
      tile.whole = tile.count == kTile && begin + kTile - 1 <= u->position(0) && u->first_visible(u->rows - 1) <= begin;
      load_tile(*u, tile);
      score(*u, tile);
      soften(*u);
      add_values(*u, tile);
    }
    finish(*u);
  }

  static void lay_out(Unit* u) {
    const int64_t sizes[] = {u->k_cols * u->lanes,
                             round_up(kTile * u->k_cols),
                             kTile * u->v_cols,
                             kTile * u->lanes,
                             u->rows * u->v_cols,
                             u->lanes,
                             u->lanes,
                             u->lanes};
    int64_t sum = 0;
    for (int64_t size : sizes) sum += size;
    float* at = thread_scratch<float>(sum);
    float** parts[] = {&u->queries, &u->keys, &u->values, &u->weights, &u->out, &u->peak, &u->total, &u->rescale};
    for (int i = 0; i < 8; ++i) {
      *parts[i] = at;
      at += sizes[i];
    }
  }

  static void start(const Unit& u) {
    const int64_t k_dim = u.args.cache.k_dim;
    std::fill(u.queries, u.queries + u.k_cols * u.lanes, 0.0f);
    for (int64_t r = 0; r < u.rows; ++r) {
      const float* q = u.args.q.f32(u.sequence.token_begin + u.first + r / u.heads) + u.query_head(r) * k_dim;
      for (int64_t d = 0; d < k_dim; ++d) {
        u.queries[u.paired ? d / 2 * kLanes + 2 * r + d % 2 : d * u.lanes + r] = q[d];
      }
    }
    std::fill(u.out, u.out + u.rows * u.v_cols, 0.0f);
    for (int64_t r = 0; r < u.lanes; ++r) {
      const bool sink = u.args.sinks != nullptr && r < u.rows;
      u.peak[r] = sink ? u.args.sinks[u.query_head(r)] : kMinusInfinity;
      u.total[r] = sink ? 1.0f : 0.0f;
    }
  }

  static void load_row(DType dtype, const void* data, int64_t offset, int64_t count, float* to) {
    if (dtype == DType::kF32) {
      std::memcpy(to, static_cast<const float*>(data) + offset, static_cast<size_t>(count) * sizeof(float));
      return;
    }
    const uint16_t* from = static_cast<const uint16_t*>(data) + offset;
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) V::store(to + i, V::load_f16(from + i));
    if (i < count) {
      uint16_t tail[kLanes] = {};
      std::memcpy(tail, from + i, static_cast<size_t>(count - i) * sizeof(uint16_t));
      V::store_first(to + i, V::load_f16(tail), static_cast<int>(count - i));
    }
  }

  static void load_tile(const Unit& u, const Tile& t) {
    const KvView& cache = u.args.cache;
    for (int64_t j = 0; j < t.count; ++j) {
      const int64_t slot = kv_slot(cache, u.sequence, u.kv_head, t.begin + j);
      float* key = u.keys + j * u.k_cols;
      load_row(cache.dtype, cache.k, slot * cache.k_dim, cache.k_dim, key);
      if (u.k_cols > cache.k_dim) key[cache.k_dim] = 0.0f;
      float* value = u.values + j * u.v_cols;
      load_row(cache.dtype, cache.v, slot * cache.v_dim, cache.v_dim, value);
      for (int64_t i = cache.v_dim; i < u.v_cols; ++i) value[i] = 0.0f;
    }
    // Scored with the others, a whole number at once, and then thrown away.
    const int64_t scored = (t.count + kPairedKeys - 1) / kPairedKeys * kPairedKeys;
    std::fill(u.keys + t.count * u.k_cols, u.keys + scored * u.k_cols, 0.0f);
  }

  // One chain, over d = first, first + 2, ..., of kKeysAtOnce keys: sum[vector][key].
  template <int vectors>
  TRIBAR_INLINE static void add_chain(const Unit& u, int64_t key, int64_t lane, int64_t first,
                                      F (&sum)[vectors][kKeysAtOnce]) {
    const float* k = u.keys + key * u.k_cols;
    const float* q = u.queries + first * u.lanes + lane;
    panel::unroll<vectors>([&](auto v) TRIBAR_INLINE_LAMBDA {
      panel::unroll<kKeysAtOnce>([&](auto j) TRIBAR_INLINE_LAMBDA { sum[v][j] = V::zero(); });
    });
    for (int64_t d = first; d < u.k_cols; d += 2, q += 2 * u.lanes) {
      F rows[vectors];
      panel::unroll<vectors>([&](auto v) TRIBAR_INLINE_LAMBDA { rows[v] = V::load(q + v * kLanes); });
      panel::unroll<kKeysAtOnce>([&](auto j) TRIBAR_INLINE_LAMBDA {
        const F value = V::set1(k[j * u.k_cols + d]);
        panel::unroll<vectors>([&](auto v) TRIBAR_INLINE_LAMBDA { sum[v][j] = V::fma(rows[v], value, sum[v][j]); });
      });
    }
  }

  template <int vectors>
  static void score_block(const Unit& u, int64_t key, int64_t lane) {
    const auto at = [&](int v, int j)
                        TRIBAR_INLINE_LAMBDA { return u.weights + (key + j) * u.lanes + lane + v * kLanes; };
    F sum[vectors][kKeysAtOnce];
    add_chain<vectors>(u, key, lane, 0, sum);
    panel::unroll<kKeysAtOnce>([&](auto j) TRIBAR_INLINE_LAMBDA {
      panel::unroll<vectors>([&](auto v) TRIBAR_INLINE_LAMBDA { V::store(at(v, j), sum[v][j]); });
    });
    add_chain<vectors>(u, key, lane, 1, sum);
    const F scale = V::set1(u.args.scale);
    panel::unroll<kKeysAtOnce>([&](auto j) TRIBAR_INLINE_LAMBDA {
      panel::unroll<vectors>([&](auto v) TRIBAR_INLINE_LAMBDA {
        V::store(at(v, j), V::mul(scale, V::add(V::load(at(v, j)), sum[v][j])));
      });
    });
  }

  static void score_paired(const Unit& u, int64_t key) {
    const float* k = u.keys + key * u.k_cols;
    F sum[kPairedKeys];
    panel::unroll<kPairedKeys>([&](auto j) TRIBAR_INLINE_LAMBDA { sum[j] = V::zero(); });
    for (int64_t d = 0; d < u.k_cols; d += 2) {
      const F rows = V::load(u.queries + d / 2 * kLanes);
      panel::unroll<kPairedKeys>(
          [&](auto j) TRIBAR_INLINE_LAMBDA { sum[j] = V::fma(rows, V::set1_pair(k + j * u.k_cols + d), sum[j]); });
    }
    const F scale = V::set1(u.args.scale);
    panel::unroll<kPairedKeys>([&](auto j) TRIBAR_INLINE_LAMBDA {
      V::store(u.weights + (key + j) * u.lanes, V::mul(scale, V::add_pairs(sum[j])));
    });
  }

  static void score(const Unit& u, const Tile& t) {
    if (u.paired) {
      for (int64_t key = 0; key < t.count; key += kPairedKeys) score_paired(u, key);
    } else {
      for (int64_t key = 0; key < t.count; key += kKeysAtOnce) {
        int64_t lane = 0;
        for (; lane + 2 * kLanes <= u.lanes; lane += 2 * kLanes) score_block<2>(u, key, lane);
        if (lane < u.lanes) score_block<1>(u, key, lane);
      }
    }
    if (u.args.softcap > 0.0f) {
      const F cap = V::set1(u.args.softcap);
      for (int64_t i = 0; i < t.count * u.lanes; i += kLanes) {
        V::store(u.weights + i, V::mul(cap, tanh<V>(V::div(V::load(u.weights + i), cap))));
      }
    }
    std::fill(u.weights + t.count * u.lanes, u.weights + kTile * u.lanes, kMinusInfinity);
    if (t.whole) return;
    for (int64_t r = 0; r < u.rows; ++r) {
      for (int64_t j = 0; j < from(u, t, r); ++j) u.weights[j * u.lanes + r] = kMinusInfinity;
      for (int64_t j = to(u, t, r); j < t.count; ++j) u.weights[j * u.lanes + r] = kMinusInfinity;
    }
  }

  // Scores to exponentials; the new peak and total, and what the sums so far must be multiplied with.
  static void soften(const Unit& u) {
    for (int64_t lane = 0; lane < u.lanes; lane += kLanes) {
      float* w = u.weights + lane;
      const F old_peak = V::load(u.peak + lane);
      F peak = old_peak;
      for (int64_t j = 0; j < kTile; ++j) peak = V::max(peak, V::load(w + j * u.lanes));
      // A row that has seen no key yet keeps -inf, and exp(-inf - 0) is 0 where exp(-inf + inf) is a NaN.
      const F base = V::select_less(peak, V::set1(std::numeric_limits<float>::lowest()), V::zero(), peak);
      F sum[4] = {V::zero(), V::zero(), V::zero(), V::zero()};
      for (int64_t j = 0; j < kTile; j += 4) {
        panel::unroll<4>([&](auto i) TRIBAR_INLINE_LAMBDA {
          float* at = w + (j + i) * u.lanes;
          const F p = exp<V>(V::sub(V::load(at), base));
          V::store(at, p);
          sum[i] = V::add(sum[i], p);
        });
      }
      const F tile_total = V::add(V::add(sum[0], sum[1]), V::add(sum[2], sum[3]));
      const F rescale = exp<V>(V::sub(old_peak, base));
      V::store(u.peak + lane, peak);
      V::store(u.rescale + lane, rescale);
      V::store(u.total + lane, V::fma(V::load(u.total + lane), rescale, tile_total));
    }
  }

  // out[row] = out[row] * rescale + Σ weight · value over keys [begin, end), for `rows` rows and `vectors` vectors.
  template <int rows, int vectors>
  static void add_values_block(const Unit& u, int64_t row, int64_t col, int64_t begin, int64_t end) {
    F sum[rows][vectors];
    panel::unroll<rows>([&](auto r) TRIBAR_INLINE_LAMBDA {
      const F rescale = V::set1(u.rescale[row + r]);
      panel::unroll<vectors>([&](auto v) TRIBAR_INLINE_LAMBDA {
        sum[r][v] = V::mul(V::load(u.out + (row + r) * u.v_cols + col + v * kLanes), rescale);
      });
    });
    for (int64_t j = begin; j < end; ++j) {
      const float* weight = u.weights + j * u.lanes + row;
      const float* value = u.values + j * u.v_cols + col;
      F values[vectors];
      panel::unroll<vectors>([&](auto v) TRIBAR_INLINE_LAMBDA { values[v] = V::load(value + v * kLanes); });
      panel::unroll<rows>([&](auto r) TRIBAR_INLINE_LAMBDA {
        const F w = V::set1(weight[r]);
        panel::unroll<vectors>([&](auto v) TRIBAR_INLINE_LAMBDA { sum[r][v] = V::fma(w, values[v], sum[r][v]); });
      });
    }
    panel::unroll<rows>([&](auto r) TRIBAR_INLINE_LAMBDA {
      panel::unroll<vectors>(
          [&](auto v) TRIBAR_INLINE_LAMBDA { V::store(u.out + (row + r) * u.v_cols + col + v * kLanes, sum[r][v]); });
    });
  }

  template <int rows>
  static void add_values_rows(const Unit& u, int64_t row, int64_t begin, int64_t end) {
    int64_t col = 0;
    for (; col + kValueVectors * kLanes <= u.v_cols; col += kValueVectors * kLanes) {
      add_values_block<rows, kValueVectors>(u, row, col, begin, end);
    }
    for (; col < u.v_cols; col += kLanes) add_values_block<rows, 1>(u, row, col, begin, end);
  }

  // Rows [row, row_end), which see the same keys: four rows share each load of a value, and so do those left over.
  static void add_values_alike(const Unit& u, int64_t row, int64_t row_end, int64_t begin, int64_t end) {
    for (; row + 4 <= row_end; row += 4) add_values_rows<4>(u, row, begin, end);
    switch (row_end - row) {
      case 3: return add_values_rows<3>(u, row, begin, end);
      case 2: return add_values_rows<2>(u, row, begin, end);
      case 1: return add_values_rows<1>(u, row, begin, end);
      default: return;
    }
  }

  static void add_values(const Unit& u, const Tile& t) {
    if (t.whole) return add_values_alike(u, 0, u.rows, 0, kTile);
    for (int64_t row = 0; row < u.rows; row += u.heads) {  // a token's heads see the same keys
      const int64_t begin = from(u, t, row);
      const int64_t end = to(u, t, row);
      if (begin < end) add_values_alike(u, row, row + u.heads, begin, end);
    }
  }

  static void finish(const Unit& u) {
    const int64_t v_dim = u.args.cache.v_dim;
    for (int64_t r = 0; r < u.rows; ++r) {
      float* y = u.args.y.f32(u.sequence.token_begin + u.first + r / u.heads) + u.query_head(r) * v_dim;
      const F total = V::set1(u.total[r]);
      for (int64_t i = 0; i < v_dim; i += kLanes) {
        const F value = V::div(V::load(u.out + r * u.v_cols + i), total);
        V::store_first(y + i, value, static_cast<int>(std::min(kLanes, v_dim - i)));
      }
    }
  }
};

}  // namespace tribar::kernel::flash
