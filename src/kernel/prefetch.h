// How far ahead of the arithmetic a kernel fetches the weights that it streams from memory.
//
//   set_prefetch_bytes(4096);
//   __builtin_prefetch(weights + prefetch_bytes());
//
// The right distance is bandwidth times latency of one core: 2 KiB on some machines, 6 KiB on others, and each loses a
// tenth with the other's (docs/performance.md). So it is a setting of the process, measured by runtime/tune_prefetch.h;
// no result depends on it. Threads: any; kernels that run meanwhile use the old or the new value.
#pragma once

#include <atomic>
#include <cstdint>

namespace tribar::kernel {

inline constexpr int64_t kDefaultPrefetchBytes = 2048;

namespace detail {
inline std::atomic<int64_t> prefetch_distance{kDefaultPrefetchBytes};
}

inline int64_t prefetch_bytes() { return detail::prefetch_distance.load(std::memory_order_relaxed); }
inline void set_prefetch_bytes(int64_t bytes) { detail::prefetch_distance.store(bytes, std::memory_order_relaxed); }

}  // namespace tribar::kernel
