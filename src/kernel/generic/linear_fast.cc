// Integer linear layers: weights as signed bytes with group scales, activations as Q8Act, exact integer sums within
// a group, then one fp32 chain over the groups in order: sum += isum * (weight scale * activation scale), sum +=
// offset * token sum.
#include "kernel/generic/generic.h"
#include "kernel/generic/linear-inl.h"
#include "kernel/generic/unpack.h"
#include "tensor/act_q8.h"

namespace tribar::kernel::TRIBAR_GENERIC {
namespace {

// A tile of tokens as the kernel walks it. Bytes: pairs, then scales, then (types with offsets) sums.
struct Tokens {
  int32_t* pairs;  // [depth / 2][width]: two 16-bit levels each
  float* scale;    // [depth / 32][width]
  float* sum;      // [depth / group][width]: scale * sum of the group's levels

  Tokens(std::byte* bytes, int64_t width)
      : pairs(reinterpret_cast<int32_t*>(bytes)),
        scale(reinterpret_cast<float*>(pairs + kChunkDepth / 2 * width)),
        sum(scale + kChunkDepth / act_q8::kGroup * width) {}
  static constexpr int64_t kBytes = kChunkDepth * 2 + kChunkDepth / 32 * 4 + kChunkDepth / 16 * 4;
};

struct Panel {
  int32_t* pairs;  // [depth / 2][16]
  float* scale;    // [depth / group][16]
  float* offset;   // [depth / group][16]

  explicit Panel(std::byte* bytes)
      : pairs(reinterpret_cast<int32_t*>(bytes)),
        scale(reinterpret_cast<float*>(pairs + kChunkDepth / 2 * kPanelRows)),
        offset(scale + kChunkDepth / 16 * kPanelRows) {}
  static constexpr int64_t kBytes = kPanelRows * (kChunkDepth * 2 + 2 * (kChunkDepth / 16) * 4);
};

TRIBAR_INLINE void widen(const int8_t* levels, int64_t n, int16_t* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = levels[i];  // NOLINT(bugprone-signed-char-misuse): numbers, no characters
}

template <int64_t kGroup, bool kHasOffset>
struct FastLayer {
  static constexpr int64_t kTile = kLanes == 16 ? 8 : kLanes / 2;
  static constexpr int64_t kRowStride = kChunkDepth / 2 + 16;  // in pairs
  static constexpr int64_t kTokenBytes = Tokens::kBytes;
  static constexpr int64_t kPanelBytes = Panel::kBytes;
  static constexpr int64_t kRowsBytes = kPanelRows * kRowStride * static_cast<int64_t>(sizeof(int32_t));

  static void pack_tokens(const TensorView& x, int64_t token, int64_t width, int64_t k, int64_t depth, std::byte* out) {
    const Tokens tile(out, width);
    for (int64_t t = 0; t < width; ++t) {
      const auto* row = x.row<std::byte>(token + t);
      const auto* levels = reinterpret_cast<const int8_t*>(row) + k;
      const auto* scale = reinterpret_cast<const float*>(row + act_q8::scale_offset_bytes(x.cols)) + k / act_q8::kGroup;
      const auto* sum =
          reinterpret_cast<const int16_t*>(row + act_q8::sum_offset_bytes(x.cols)) + k / act_q8::kSumGroup;
      for (int64_t i = 0; i < depth / 2; ++i) {
        tile.pairs[i * width + t] =
            static_cast<int32_t>(static_cast<uint32_t>(levels[2 * i + 1]) << 16) | static_cast<uint16_t>(levels[2 * i]);
      }
      for (int64_t g = 0; g < depth / act_q8::kGroup; ++g) tile.scale[g * width + t] = scale[g];
      for (int64_t g = 0; kHasOffset && g < depth / kGroup; ++g) {
        const int32_t group_sum = kGroup == 16 ? sum[g] : sum[2 * g] + sum[2 * g + 1];
        tile.sum[g * width + t] = scale[g * kGroup / act_q8::kGroup] * static_cast<float>(group_sum);
      }
    }
  }

  static void pack_panel(const WeightView& w, Part rows, int64_t k, int64_t depth, std::byte* scratch, std::byte* out) {
    const DTypeInfo& info = dtype_info(w.dtype);
    const int64_t row_stride_bytes = w.cols / info.block_elements * info.block_bytes;
    const std::byte* source = w.data + rows.begin * row_stride_bytes + k / info.block_elements * info.block_bytes;
    const PackedType& type = *packed_type(w.dtype);
    const Panel panel(out);
    auto* pairs = reinterpret_cast<int32_t*>(scratch);
    for (int64_t r = 0; r < kPanelRows; ++r) {
      int8_t levels[kChunkDepth] = {};
      float scale[kChunkDepth / kGroup] = {};
      float offset[kChunkDepth / kGroup] = {};
      if (r < rows.count) type.unpack(source + r * row_stride_bytes, depth, {levels, scale, offset});
      widen(levels, depth, reinterpret_cast<int16_t*>(pairs + r * kRowStride));
      for (int64_t g = 0; g < depth / kGroup; ++g) {
        panel.scale[g * kPanelRows + r] = scale[g];
        if (kHasOffset) panel.offset[g * kPanelRows + r] = offset[g];
      }
    }
    transpose_panel(pairs, kRowStride, depth / 2, panel.pairs);
  }

  template <int64_t kWidth>
  static void multiply(const std::byte* panel_bytes, const std::byte* tile_bytes, int64_t depth, float* sums) {
    const Panel panel(const_cast<std::byte*>(panel_bytes));
    const Tokens tile(const_cast<std::byte*>(tile_bytes), kWidth);
    for (int64_t g = 0; g < depth / kGroup; ++g) {
      add_group<kWidth>(panel, tile, g, sums);
    }
  }

  template <int64_t kWidth>
  TRIBAR_INLINE static void add_group(const Panel& panel, const Tokens& tile, int64_t g, float* sums) {
    constexpr int64_t kVectors = kPanelRows / kLanes;
    I32 isum[kWidth][kVectors] = {};
    const int32_t* w = panel.pairs + g * (kGroup / 2) * kPanelRows;
    const int32_t* x = tile.pairs + g * (kGroup / 2) * kWidth;
    for (int64_t i = 0; i < kGroup / 2; ++i, w += kPanelRows, x += kWidth) {
#pragma GCC unroll 8
      for (int64_t t = 0; t < kWidth; ++t) {
#pragma GCC unroll 4
        for (int64_t v = 0; v < kVectors; ++v)
          isum[t][v] = dot_pairs(load(w + v * kLanes), broadcast(x[t]), isum[t][v]);
      }
    }
#pragma GCC unroll 8
    for (int64_t t = 0; t < kWidth; ++t) {
      const float token_scale = tile.scale[g * kGroup / act_q8::kGroup * kWidth + t];
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) {
        const int64_t column = g * kPanelRows + v * kLanes;
        float* sum = sums + t * kPanelRows + v * kLanes;
        F32 total = mul_add(to_float(isum[t][v]), load(panel.scale + column) * token_scale, load(sum));
        if (kHasOffset) total = mul_add(load(panel.offset + column), broadcast(tile.sum[g * kWidth + t]), total);
        store(sum, total);
      }
    }
  }
};

}  // namespace

void linear_fast(const LinearArgs& args, Shard shard) {
  const PackedType& type = *packed_type(args.w.dtype);
  if (type.group == 16) {
    return type.has_offset ? run_linear<FastLayer<16, true>>(args, shard)
                           : run_linear<FastLayer<16, false>>(args, shard);
  }
  return type.has_offset ? run_linear<FastLayer<32, true>>(args, shard) : run_linear<FastLayer<32, false>>(args, shard);
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
