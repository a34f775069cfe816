// Packing of file rows into panels, and the sizes of the result.
//
//   LinearKernel k{..., packed_bytes<Q4_K, 16>, pack<Q4_K, 16>, ...};
//
// The code is compiled for the baseline instruction set: it moves whole dwords and runs near memory speed anyway.
// Threads: pack() writes only its shard's panels. Units: bytes; `packed` is 64-byte aligned.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/thread_team.h"
#include "kernel/panel/format.h"
#include "kernel/weight.h"

namespace tribar::kernel::panel {

inline constexpr int64_t panels_of(int64_t rows, int64_t panel_rows) { return (rows + panel_rows - 1) / panel_rows; }

template <typename Format, int R>
int64_t packed_bytes(int64_t rows, int64_t cols) {
  return panels_of(rows, R) * blocks_per_panel<Format>(cols) * static_cast<int64_t>(sizeof(PanelBlock<Format, R>));
}
template <typename Format, int R>
void pack(const WeightView& source, std::byte* packed, Shard shard);

// F32, F16 and BF16: one vector of R rows a column.
template <typename T, int R>
int64_t packed_bytes_plain(int64_t rows, int64_t cols) {
  return panels_of(rows, R) * cols * R * static_cast<int64_t>(sizeof(T));
}
template <typename T, int R>
void pack_plain(const WeightView& source, std::byte* packed, Shard shard);

}  // namespace tribar::kernel::panel
