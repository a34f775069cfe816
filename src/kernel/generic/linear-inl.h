// y = x · Wᵀ + bias in panels of sixteen weight rows: the walk that the exact and the integer linear layers share.
//
// The depth K is cut into chunks. For each chunk the tokens are laid out in tiles [k][tile], panels are unpacked to
// [k][16] in scratch memory that stays in the second-level cache, and every tile of tokens runs down every panel
// with its sums in registers. Unpacking is paid once for up to kSlabTokens tokens. Between chunks sums rest in y, so
// each output is one chain of additions over K in order, whatever the tile widths: row invariance.
//
// A Layer says what the data are:
//   kTile                                   widest tile, a power of two
//   kTokenBytes, kPanelBytes, kRowsBytes    room for one token, one panel, and sixteen rows while they are unpacked
//   pack_tokens(x, token, width, k, depth, out)
//   pack_panel(w, row, rows, k, depth, rows_scratch, out)
//   multiply<width>(panel, tokens, depth, sums)   sums: [width][16], added to
#pragma once

#include "base/thread_team.h"
#include "kernel/args.h"
#include "kernel/generic/transpose-inl.h"
#include "kernel/scratch.h"

namespace tribar::kernel::TRIBAR_GENERIC {

// A multiple of every block. A tile of tokens and one panel together fit the first-level cache.
inline constexpr int64_t kChunkDepth = 256;
inline constexpr int64_t kSlabTokens = 512;
inline constexpr int64_t kBlockPanels = 8;  // panels that share one pass over the tokens

struct Part {
  int64_t begin;
  int64_t count;
};

// Widest tile for what is left: powers of two, so that few widths are compiled.
template <typename Layer>
TRIBAR_INLINE int64_t tile_width(int64_t tokens_left) {
  int64_t width = Layer::kTile;
  while (width > tokens_left) width /= 2;
  return width;
}

template <typename Layer, int64_t kWidth = Layer::kTile>
TRIBAR_INLINE void multiply_tile(int64_t width, const std::byte* panel, const std::byte* tokens, int64_t depth,
                                 float* sums) {
  if constexpr (kWidth > 1) {
    if (width != kWidth) return multiply_tile<Layer, kWidth / 2>(width, panel, tokens, depth, sums);
  }
  Layer::template multiply<kWidth>(panel, tokens, depth, sums);
}

// The sums of one tile and panel, on their way between y and the registers.
struct TileOutput {
  const LinearArgs& args;
  int64_t token;
  int64_t width;
  int64_t row;
  int64_t rows;

  TRIBAR_INLINE void load_sums(bool first_chunk, float* sums) const {
    if (first_chunk || rows < kPanelRows) std::memset(sums, 0, static_cast<size_t>(width * kPanelRows) * sizeof(float));
    if (first_chunk) return;
    for (int64_t t = 0; t < width; ++t) {
      std::memcpy(sums + t * kPanelRows, args.y.f32(token + t) + row, static_cast<size_t>(rows) * sizeof(float));
    }
  }
  TRIBAR_INLINE void store_sums(bool last_chunk, const float* sums) const {
    for (int64_t t = 0; t < width; ++t) {
      float* y = args.y.f32(token + t) + row;
      const float* s = sums + t * kPanelRows;
      const bool add_bias = last_chunk && args.bias != nullptr;
      for (int64_t r = 0; r < rows; ++r) y[r] = add_bias ? s[r] + args.bias[row + r] : s[r];
    }
  }
};

template <typename Layer>
struct PanelWalk {
  const LinearArgs& args;
  Part weight_rows;  // this member's
  Part slab;
  std::byte* tokens;
  std::byte* panels;
  std::byte* rows_scratch;

  void run_chunk(int64_t k, int64_t depth) const {
    for (int64_t t = 0; t < slab.count;) {
      const int64_t width = tile_width<Layer>(slab.count - t);
      Layer::pack_tokens(args.x, slab.begin + t, width, k, depth, tokens + t * Layer::kTokenBytes);
      t += width;
    }
    // With one or two tokens a panel is used at once: keep it in the first-level cache.
    const int64_t block_rows = slab.count < Layer::kTile ? kPanelRows : kBlockPanels * kPanelRows;
    for (int64_t i = 0; i < weight_rows.count; i += block_rows) {
      const int64_t left = weight_rows.count - i;
      run_block({weight_rows.begin + i, left < block_rows ? left : block_rows}, k, depth);
    }
  }

  void run_block(Part block, int64_t k, int64_t depth) const {
    for (int64_t r = 0; r < block.count; r += kPanelRows) {
      const int64_t rows = block.count - r < kPanelRows ? block.count - r : kPanelRows;
      Layer::pack_panel(args.w, {block.begin + r, rows}, k, depth, rows_scratch,
                        panels + r / kPanelRows * Layer::kPanelBytes);
    }
    for (int64_t t = 0; t < slab.count;) {
      const int64_t width = tile_width<Layer>(slab.count - t);
      for (int64_t r = 0; r < block.count; r += kPanelRows) {
        const int64_t rows = block.count - r < kPanelRows ? block.count - r : kPanelRows;
        const TileOutput output{args, slab.begin + t, width, block.begin + r, rows};
        alignas(64) float sums[Layer::kTile * kPanelRows];
        output.load_sums(k == 0, sums);
        multiply_tile<Layer>(width, panels + r / kPanelRows * Layer::kPanelBytes, tokens + t * Layer::kTokenBytes,
                             depth, sums);
        output.store_sums(k + depth == args.w.cols, sums);
      }
      t += width;
    }
  }
};

template <typename Layer>
void run_linear(const LinearArgs& args, Shard shard) {
  const auto [begin, end] = shard.range(args.w.rows, kPanelRows);
  if (begin == end) return;
  const int64_t slab_tokens = args.x.rows < kSlabTokens ? args.x.rows : kSlabTokens;
  const int64_t token_bytes = slab_tokens * Layer::kTokenBytes;
  const int64_t panel_bytes = kBlockPanels * Layer::kPanelBytes;
  std::byte* scratch = thread_scratch<std::byte>(token_bytes + panel_bytes + Layer::kRowsBytes);
  for (int64_t t = 0; t < args.x.rows; t += slab_tokens) {
    const int64_t left = args.x.rows - t;
    const PanelWalk<Layer> walk{args,
                                {begin, end - begin},
                                {t, left < slab_tokens ? left : slab_tokens},
                                scratch + panel_bytes + Layer::kRowsBytes,
                                scratch,
                                scratch + panel_bytes};
    for (int64_t k = 0; k < args.w.cols; k += kChunkDepth) {
      walk.run_chunk(k, args.w.cols - k < kChunkDepth ? args.w.cols - k : kChunkDepth);
    }
  }
}

}  // namespace tribar::kernel::TRIBAR_GENERIC
