// Linear layers in fp32: plain weights, and packed integer weights in exact precision.
//
//   run = &FloatLinear<Avx512, QuantWeights<Avx512, Q4_K>>::run
//   run = &FloatLinear<Avx512, PlainWeights<Avx512, uint16_t, DType::kBF16>>::run
//
// y[t][n] = fma chain over k in order, started at zero, then + bias. A chunk of kChunk columns of two panels is
// turned into floats once and used for all tokens while it lies in L1; between chunks the sums rest in y, which
// changes no bit. So a row's result does not depend on the number of tokens. Templates on V: each instruction set
// has its own copy. Threads: see kernel/args.h; each shard has whole panels.
#pragma once

#include <algorithm>

#include "kernel/args.h"
#include "kernel/panel/pack.h"
#include "kernel/panel/unpack-inl.h"

namespace tribar::kernel::panel {

inline constexpr int64_t kChunk = 128;  // columns; 2 panels of 16 rows are 16 KiB, half of the smallest L1

// Weights stored as numbers of type T, one vector a column.
template <typename V, typename T, DType type>
struct PlainWeights {
  static constexpr int64_t panel_bytes(int64_t cols) { return cols * V::kRows * static_cast<int64_t>(sizeof(T)); }

  // Columns [begin, begin + count) of a panel as floats, in `buffer` or where they already are.
  static const float* floats(const std::byte* panel, int64_t begin, int64_t count, float* buffer) {
    const T* from = reinterpret_cast<const T*>(panel) + begin * V::kRows;
    if constexpr (type == DType::kF32) {
      return reinterpret_cast<const float*>(from);
    } else {
      for (int64_t i = 0; i < count * V::kRows; i += V::kRows) {
        V::store(buffer + i, type == DType::kF16 ? V::load_f16(from + i) : V::load_bf16(from + i));
      }
      return buffer;
    }
  }
};

template <typename V, typename Format>
struct QuantWeights {
  using Block = PanelBlock<Format, V::kRows>;
  static constexpr int64_t panel_bytes(int64_t cols) {
    return blocks_per_panel<Format>(cols) * static_cast<int64_t>(sizeof(Block));
  }

  // value = (code - offset) * scale (+ min): the operations of quant::dequantize_row in its order, so equal to the bit.
  template <int step>
  TRIBAR_INLINE static void dequantize_step(const Block& block, int group, float* out) {
    constexpr int kHalf = Format::kHalves == 2 ? step / 4 : 0;
    const auto head = block.scales.template head<V>();
    const auto scale = block.scales.template scale<V>(head, group, kHalf);
    const auto codes = unpack_codes<V, Format, step>(block, group);
    unroll<4>([&](auto i) TRIBAR_INLINE_LAMBDA {
      const auto level = V::sub_i32(V::template byte_of<i>(codes), V::set1_i32(kCodeOffset<Format>));
      auto value = V::mul(V::to_float(level), scale);
      if constexpr (Format::template Scales<V::kRows>::kMins) {
        value = V::add(value, block.scales.template min<V>(head, group, kHalf));
      }
      V::store(out + (4 * step + i) * V::kRows, value);
    });
  }

  static const float* floats(const std::byte* panel, int64_t begin, int64_t count, float* buffer) {
    for (int64_t k = 0; k < count; k += 32) {
      const Block& block = reinterpret_cast<const Block*>(panel)[(begin + k) / kBlockCols<Format>];
      const auto group = static_cast<int>((begin + k) / 32 % Format::kGroups);
      unroll<kStepsPerGroup>([&](auto step)
                                 TRIBAR_INLINE_LAMBDA { dequantize_step<step>(block, group, buffer + k * V::kRows); });
    }
    return buffer;
  }
};

// LinearKernel::unpack_row. All rows of the panel are turned into floats and one is kept: some microseconds a token.
template <typename V, typename Weights>
void unpack_row(const WeightView& packed, int64_t row, float* y) {
  const std::byte* panel = packed.data + row / V::kRows * Weights::panel_bytes(packed.cols);
  alignas(64) float buffer[kChunk * V::kRows];
  for (int64_t begin = 0; begin < packed.cols; begin += kChunk) {
    const int64_t count = std::min(kChunk, packed.cols - begin);
    const float* lane = Weights::floats(panel, begin, count, buffer) + row % V::kRows;
    for (int64_t i = 0; i < count; ++i) y[begin + i] = lane[i * V::kRows];
  }
}

template <typename V, typename Weights>
struct FloatLinear {
  using F = typename V::F;

  // One chunk of one or two panels.
  struct Chunk {
    const LinearArgs& args;
    const float* weights[2];
    int64_t row;
    int rows;  // that exist, of one or two panels
    int64_t begin;
    int64_t count;
  };

  TRIBAR_INLINE static int rows_of(const Chunk& c, int p) { return std::clamp(c.rows - p * V::kRows, 0, V::kRows); }
  TRIBAR_INLINE static F load_rows(const Chunk& c, int p, const float* from) {
    const int rows = rows_of(c, p);
    return rows == V::kRows ? V::load(from + p * V::kRows) : V::load_first(from + p * V::kRows, rows);
  }
  TRIBAR_INLINE static void store_rows(const Chunk& c, int p, float* to, F value) {
    const int rows = rows_of(c, p);
    if (rows == V::kRows) {
      V::store(to + p * V::kRows, value);
    } else {
      V::store_first(to + p * V::kRows, value, rows);
    }
  }

  template <int P, int N>
  static void multiply(const Chunk& c, int64_t token) {
    F acc[P][N];
    const float* x[N];
    unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA {
      x[n] = c.args.x.f32(token + n) + c.begin;
      unroll<P>([&](auto p) TRIBAR_INLINE_LAMBDA {
        acc[p][n] = c.begin == 0 ? V::zero() : load_rows(c, p, c.args.y.f32(token + n) + c.row);
      });
    });
    for (int64_t k = 0; k < c.count; ++k) {
      F w[P];
      unroll<P>([&](auto p) TRIBAR_INLINE_LAMBDA { w[p] = V::load(c.weights[p] + k * V::kRows); });
      unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA {
        const F value = V::set1(x[n][k]);
        unroll<P>([&](auto p) TRIBAR_INLINE_LAMBDA { acc[p][n] = V::fma(w[p], value, acc[p][n]); });
      });
    }
    const bool add_bias = c.args.bias != nullptr && c.begin + c.count == c.args.w.cols;
    unroll<P>([&](auto p) TRIBAR_INLINE_LAMBDA {
      const F bias = add_bias ? load_rows(c, p, c.args.bias + c.row) : V::zero();
      unroll<N>([&](auto n) TRIBAR_INLINE_LAMBDA {
        store_rows(c, p, c.args.y.f32(token + n) + c.row, add_bias ? V::add(acc[p][n], bias) : acc[p][n]);
      });
    });
  }

  template <int P>
  static void multiply_all(const Chunk& c) {
    const int64_t tokens = c.args.x.rows;
    int64_t token = 0;
    for (; token + V::kFloatTokens <= tokens; token += V::kFloatTokens) multiply<P, V::kFloatTokens>(c, token);
    for (; token + 2 <= tokens; token += 2) multiply<P, 2>(c, token);
    if (token < tokens) multiply<P, 1>(c, token);
  }

  static void run(const LinearArgs& args, Shard shard) {
    const WeightView& w = args.w;
    const int64_t panel_bytes = Weights::panel_bytes(w.cols);
    const auto [begin, end] = shard.range(panels_of(w.rows, V::kRows));
    alignas(64) float buffer[2][kChunk * V::kRows];
    for (int64_t panel = begin; panel < end; panel += 2) {
      const int panels = panel + 1 < end ? 2 : 1;
      const int64_t row = panel * V::kRows;
      const auto rows = static_cast<int>(std::min<int64_t>(panels * V::kRows, w.rows - row));
      for (int64_t k = 0; k < w.cols; k += kChunk) {
        Chunk chunk{args, {}, row, rows, k, std::min(kChunk, w.cols - k)};
        for (int p = 0; p < panels; ++p) {
          chunk.weights[p] = Weights::floats(w.data + (panel + p) * panel_bytes, k, chunk.count, buffer[p]);
        }
        panels == 2 ? multiply_all<2>(chunk) : multiply_all<1>(chunk);
      }
    }
  }
};

}  // namespace tribar::kernel::panel
