// Tile instructions as assembly: the file needs no compiler flags, and the compiler knows nothing of tiles.
#include "kernel/peak_loops.h"

#if defined(__x86_64__)

namespace tribar::kernel::amx {
namespace {

// The memory form of the tile configuration (Intel SDM vol. 2, LDTILECFG).
struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfig) == 64);

constexpr int64_t kChains = 4;  // 2 x 2 accumulators: what a real kernel holds

// Tiles 0 to 3 are sums, 4 to 7 operands of zeros: the unit takes the same time for all values.
void begin() {
  const TileConfig config;
  asm volatile(
      "ldtilecfg %0\n\t"
      "tilezero %%tmm0\n\t"
      "tilezero %%tmm1\n\t"
      "tilezero %%tmm2\n\t"
      "tilezero %%tmm3\n\t"
      "tilezero %%tmm4\n\t"
      "tilezero %%tmm5\n\t"
      "tilezero %%tmm6\n\t"
      "tilezero %%tmm7\n\t"
      :
      : "m"(config));
}

void end() { asm volatile("tilerelease"); }

void int8(int64_t rounds) {
  begin();
  for (int64_t i = 0; i < rounds; ++i) {
    asm volatile(
        "tdpbusd %tmm6, %tmm4, %tmm0\n\t"
        "tdpbusd %tmm7, %tmm4, %tmm1\n\t"
        "tdpbusd %tmm6, %tmm5, %tmm2\n\t"
        "tdpbusd %tmm7, %tmm5, %tmm3\n\t");
  }
  end();
}

void bf16(int64_t rounds) {
  begin();
  for (int64_t i = 0; i < rounds; ++i) {
    asm volatile(
        "tdpbf16ps %tmm6, %tmm4, %tmm0\n\t"
        "tdpbf16ps %tmm7, %tmm4, %tmm1\n\t"
        "tdpbf16ps %tmm6, %tmm5, %tmm2\n\t"
        "tdpbf16ps %tmm7, %tmm5, %tmm3\n\t");
  }
  end();
}

}  // namespace

const PeakLoop kInt8Peak{Arithmetic::kInt8, "amx_int8", "tdpbusd", 2 * 16 * 16 * 64 * kChains, int8};
const PeakLoop kBf16Peak{Arithmetic::kBf16, "amx_bf16", "tdpbf16ps", 2 * 16 * 16 * 32 * kChains, bf16};

}  // namespace tribar::kernel::amx

#endif
