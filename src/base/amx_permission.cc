#include "base/amx_permission.h"

#if defined(__x86_64__) && defined(__linux__)

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "base/cpu_features.h"

namespace tribar {
namespace {

// Linux arch/x86/include/uapi/asm/prctl.h; older headers lack them.
constexpr long kGetXcompPerm = 0x1022;  // ARCH_GET_XCOMP_PERM
constexpr long kReqXcompPerm = 0x1023;  // ARCH_REQ_XCOMP_PERM
constexpr long kXfeatureTileData = 18;  // XFEATURE_XTILEDATA

bool ask() {
  if (!cpu_features().amx_tile) return false;
  if (syscall(SYS_arch_prctl, kReqXcompPerm, kXfeatureTileData) != 0) return false;
  // What was granted is what counts: a sandbox may answer 0 to a call that it does not know.
  uint64_t granted = 0;
  if (syscall(SYS_arch_prctl, kGetXcompPerm, &granted) != 0) return false;
  return ((granted >> kXfeatureTileData) & 1) != 0;
}

}  // namespace

bool request_amx_permission() {
  static const bool kGranted = ask();
  return kGranted;
}

}  // namespace tribar

#else

namespace tribar {

bool request_amx_permission() { return false; }

}  // namespace tribar

#endif
