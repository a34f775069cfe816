#include "base/cpu_topology.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tribar {

#if defined(__x86_64__)

// Source: Intel SDM vol. 2 CPUID leaf 4; AMD APM vol. 3 leaf 8000_001D, which has the same fields.
std::vector<CpuCache> cpuid_caches() {
  constexpr uint32_t kIntelLeaf = 4;
  constexpr uint32_t kAmdLeaf = 0x8000001d;
  constexpr uint32_t kNone = 0;
  constexpr uint32_t kInstructions = 2;
  std::vector<CpuCache> caches;
  for (const uint32_t leaf : {kIntelLeaf, kAmdLeaf}) {
    for (uint32_t index = 0; index < 16; ++index) {
      uint32_t eax = 0;
      uint32_t ebx = 0;
      uint32_t ecx = 0;
      uint32_t edx = 0;
      if (__get_cpuid_count(leaf, index, &eax, &ebx, &ecx, &edx) == 0 || (eax & 31) == kNone) break;
      if ((eax & 31) == kInstructions) continue;
      const uint64_t line_bytes = (ebx & 0xfff) + 1;
      const uint64_t partitions = (ebx >> 12 & 0x3ff) + 1;
      const uint64_t ways = (ebx >> 22) + 1;
      const uint64_t sets = uint64_t{ecx} + 1;
      caches.push_back({.level = static_cast<int>(eax >> 5 & 7),
                        .size_bytes = line_bytes * partitions * ways * sets,
                        .sharing_cpus = static_cast<int>(eax >> 14 & 0xfff) + 1});
    }
    if (!caches.empty()) return caches;
  }
  return caches;
}

#else

std::vector<CpuCache> cpuid_caches() { return {}; }

#endif

}  // namespace tribar
