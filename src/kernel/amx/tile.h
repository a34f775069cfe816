// Tile registers and their instructions, as this project uses them: eight registers of 16 rows of 64 bytes.
//
//   tile::Configuration c;             // all registers unused
//   c.set(0, 16, 64);                  // register 0: 16 rows of 64 bytes
//   const tile::Scope scope(c);        // on this thread until the end of the block
//   tile::load<4, 32, 512>(a); tile::load<6, 64, 512>(b);
//   tile::zero<0>(); tile::dot_signed<0, 4, 6>(); tile::store<0, 64, 1024>(c);
//
// Assembly rather than intrinsics: those of g++ 12 paste the register's number as text and so take no template
// argument, and with no -mamx flag this code keeps the instruction sets of its neighbours
// (scripts/check_isa_leaks.py).
// A process must have asked for the tile registers first (base/amx_permission.h). Threads: each has its own registers.
// Source: Intel SDM vol. 1 chapter 18.
#pragma once

#include <cstdint>

#include "kernel/panel/unroll.h"

namespace tribar::kernel::tile {

// The memory operand of LDTILECFG.
struct alignas(64) Configuration {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};

  void set(int index, int row_count, int bytes) {
    rows[index] = static_cast<uint8_t>(row_count);
    row_bytes[index] = static_cast<uint16_t>(bytes);
  }
};
static_assert(sizeof(Configuration) == 64);

// Configures the registers and gives them back, so that the kernel need not save them at a context switch.
class Scope {
 public:
  explicit Scope(const Configuration& c) { asm volatile("ldtilecfg %0" ::"m"(c)); }
  ~Scope() { asm volatile("tilerelease" ::); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
};

template <int dst>
TRIBAR_INLINE void zero() {
  asm volatile("tilezero %%tmm%c0" ::"i"(dst));
}
// Consecutive rows of `row_bytes` bytes, `bytes` in all. What is read and written is an operand: a clobber of all
// memory would also drive accumulators out of their registers.
template <int dst, int row_bytes, int bytes>
TRIBAR_INLINE void load(const void* from) {
  using Memory = const uint8_t[bytes];
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2"
               :
               : "r"(from), "r"(int64_t{row_bytes}), "i"(dst), "m"(*static_cast<Memory*>(from)));
}
template <int src, int row_bytes, int bytes>
TRIBAR_INLINE void store(void* to) {
  using Memory = uint8_t[bytes];
  asm volatile("tilestored %%tmm%c3, (%1,%2,1)"
               : "=m"(*static_cast<Memory*>(to))
               : "r"(to), "r"(int64_t{row_bytes}), "i"(src));
}
// dst[m][n] += Σ a[m][4k + i] · b[k][4n + i], signed bytes, exact.
template <int dst, int a, int b>
TRIBAR_INLINE void dot_signed() {
  asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(dst), "i"(a), "i"(b));
}

}  // namespace tribar::kernel::tile
