// Rows of the list of tile kernels: the panels of avx512/, read sixteen tokens at a time.
//
//   constexpr auto kEntry = tile_entry<panel::Q4_K>("amx.q4_k.p16");
//
// Threads: constants.
#pragma once

#include "kernel/amx/tile_linear-inl.h"
#include "kernel/panel/entries.h"

namespace tribar::kernel::amx {

template <typename Format>
constexpr LinearEntry tile_entry(const char* name) {
  LinearEntry entry = panel::fast_entry<Avx512, Format>(name);
  entry.kernel.run = TileLinear<Format>::run;
  entry.kernel.run_wide = nullptr;  // not written with tiles yet; through vpdpbusd it would be slower than run
  return entry;
}

}  // namespace tribar::kernel::amx
