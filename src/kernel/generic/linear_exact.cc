// Exact linear layers: weights dequantised bit for bit, everything else in fp32, one chain of fused multiply-adds an
// output.
#include "kernel/generic/generic.h"
#include "kernel/generic/half-inl.h"
#include "kernel/generic/linear-inl.h"
#include "kernel/generic/unpack.h"

namespace tribar::kernel::TRIBAR_GENERIC {
namespace {

template <int64_t kGroup>
TRIBAR_INLINE void scale_levels(const UnpackedRow& row, bool has_offset, int64_t n, float* x) {
  for (int64_t g = 0; g < n / kGroup; ++g) {
    for (int64_t i = g * kGroup; i < (g + 1) * kGroup; i += kLanes) {
      const F32 scaled = to_float(load_bytes(row.levels + i)) * row.scale[g];
      store(x + i, has_offset ? scaled + row.offset[g] : scaled);
    }
  }
}

// n values from column k on of one weight row.
void dequantize(const WeightView& w, int64_t row, int64_t k, int64_t n, float* x) {
  const DTypeInfo& info = dtype_info(w.dtype);
  const int64_t row_stride_bytes = w.cols / info.block_elements * info.block_bytes;
  const std::byte* source = w.data + row * row_stride_bytes + k / info.block_elements * info.block_bytes;
  switch (w.dtype) {
    case DType::kF32: std::memcpy(x, source, static_cast<size_t>(n) * sizeof(float)); return;
    case DType::kF16: return halves_to_floats(source, x, n);
    case DType::kBF16: return bfloats_to_floats(source, x, n);
    default: break;
  }
  const PackedType& type = *packed_type(w.dtype);
  int8_t levels[kChunkDepth];
  float scale[kChunkDepth / 16];
  float offset[kChunkDepth / 16];
  const UnpackedRow unpacked{levels, scale, offset};
  type.unpack(source, n, unpacked);
  if (type.group == 16) return scale_levels<16>(unpacked, type.has_offset, n, x);
  return scale_levels<32>(unpacked, type.has_offset, n, x);
}

struct ExactLayer {
  // Sums in registers: 16 of 32 with AVX-512, 8 of 16 with AVX2 (4 tokens of two vectors) and SSE2 (2 of four).
  static constexpr int64_t kTile = kLanes == 16 ? 16 : kLanes / 2;
  static constexpr int64_t kRowStride = kChunkDepth + 16;  // not a power of two: sixteen rows share no cache set
  static constexpr int64_t kTokenBytes = kChunkDepth * static_cast<int64_t>(sizeof(float));
  static constexpr int64_t kPanelBytes = kPanelRows * kTokenBytes;
  static constexpr int64_t kRowsBytes = kPanelRows * kRowStride * static_cast<int64_t>(sizeof(float));

  static void pack_tokens(const TensorView& x, int64_t token, int64_t width, int64_t k, int64_t depth, std::byte* out) {
    auto* tile = reinterpret_cast<float*>(out);
    for (int64_t t = 0; t < width; ++t) {
      const float* row = x.f32(token + t) + k;
      for (int64_t i = 0; i < depth; ++i) tile[i * width + t] = row[i];
    }
  }

  static void pack_panel(const WeightView& w, Part rows, int64_t k, int64_t depth, std::byte* scratch, std::byte* out) {
    auto* values = reinterpret_cast<float*>(scratch);
    for (int64_t r = 0; r < rows.count; ++r) dequantize(w, rows.begin + r, k, depth, values + r * kRowStride);
    for (int64_t r = rows.count; r < kPanelRows; ++r) {
      std::memset(values + r * kRowStride, 0, static_cast<size_t>(depth) * sizeof(float));
    }
    transpose_panel(reinterpret_cast<const int32_t*>(values), kRowStride, depth, reinterpret_cast<int32_t*>(out));
  }

  template <int64_t kWidth>
  TRIBAR_INLINE static void multiply(const std::byte* panel_bytes, const std::byte* tile_bytes, int64_t depth,
                                     float* sums) {
    constexpr int64_t kVectors = kPanelRows / kLanes;
    const auto* panel = reinterpret_cast<const float*>(panel_bytes);
    const auto* tile = reinterpret_cast<const float*>(tile_bytes);
    F32 acc[kWidth][kVectors];
#pragma GCC unroll 16
    for (int64_t t = 0; t < kWidth; ++t) {
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) acc[t][v] = load(sums + t * kPanelRows + v * kLanes);
    }
    for (int64_t k = 0; k < depth; ++k, panel += kPanelRows, tile += kWidth) {
      F32 w[kVectors];
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) w[v] = load(panel + v * kLanes);
#pragma GCC unroll 16
      for (int64_t t = 0; t < kWidth; ++t) {
        const F32 x = broadcast(tile[t]);
#pragma GCC unroll 4
        for (int64_t v = 0; v < kVectors; ++v) acc[t][v] = mul_add(w[v], x, acc[t][v]);
      }
    }
#pragma GCC unroll 16
    for (int64_t t = 0; t < kWidth; ++t) {
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) store(sums + t * kPanelRows + v * kLanes, acc[t][v]);
    }
  }
};

}  // namespace

void linear_exact(const LinearArgs& args, Shard shard) { run_linear<ExactLayer>(args, shard); }

}  // namespace tribar::kernel::TRIBAR_GENERIC
