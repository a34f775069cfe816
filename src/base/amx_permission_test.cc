#include "base/amx_permission.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/cpu_features.h"

namespace tribar {
namespace {

TEST(AmxPermission, IsNeverGrantedWithoutTiles) {
  if (cpu_features().amx_tile) GTEST_SKIP() << "this processor has tiles";
  EXPECT_FALSE(request_amx_permission());
}

TEST(AmxPermission, EveryThreadHearsTheSameAnswer) {
  std::atomic<int> granted{0};
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { granted += request_amx_permission() ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(granted, request_amx_permission() ? 8 : 0);
}

#if defined(__x86_64__)
// What the grant is for: a tile can be configured and released, on a thread that was started before the process asked
// as well. Encoded as bytes, so that the file needs no flags of its own.
__attribute__((noinline)) void touch_tile_registers() {
  alignas(64) unsigned char config[64] = {1};                                     // palette 1
  config[16] = 64;                                                                // tile 0: 64 bytes a row,
  config[48] = 16;                                                                // 16 rows
  asm volatile(".byte 0xc4, 0xe2, 0x78, 0x49, 0x00" : : "a"(config) : "memory");  // ldtilecfg [rax]
  asm volatile(".byte 0xc4, 0xe2, 0x7b, 0x49, 0xc0");                             // tilezero tmm0
  asm volatile(".byte 0xc4, 0xe2, 0x78, 0x49, 0xc0");                             // tilerelease
}

TEST(AmxPermission, AllowsTileInstructions) {
  if (!request_amx_permission()) GTEST_SKIP() << "no AMX here";
  touch_tile_registers();
  std::thread(touch_tile_registers).join();
}
#endif

}  // namespace
}  // namespace tribar
