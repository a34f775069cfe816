// The counting operator new of this test program, and the proof that it counts.
#include "format/testing/allocation_watch.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

namespace {

std::atomic<size_t> live_bytes = 0;
std::atomic<size_t> peak_live_bytes = 0;

void* counted_allocation(size_t size) {
  void* memory = std::malloc(size != 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  const size_t now = live_bytes += malloc_usable_size(memory);
  for (size_t peak = peak_live_bytes; now > peak && !peak_live_bytes.compare_exchange_weak(peak, now);) {
  }
  return memory;
}

void counted_release(void* memory) {
  if (memory == nullptr) return;
  live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(size_t size) { return counted_allocation(size); }
void operator delete(void* memory) noexcept { counted_release(memory); }
void operator delete(void* memory, size_t) noexcept { counted_release(memory); }

namespace tribar::format::testing {

AllocationWatch::AllocationWatch() : begin_bytes_(live_bytes) { peak_live_bytes = begin_bytes_; }

size_t AllocationWatch::peak_bytes() const { return peak_live_bytes - begin_bytes_; }

namespace {

TEST(AllocationWatch, SeesThePeakNotTheEnd) {
  const AllocationWatch watch;
  {
    const std::string large(100'000, 'x');  // NOLINT(bugprone-unused-local-non-trivial-variable)
  }
  EXPECT_GE(watch.peak_bytes(), 100'000u);
  EXPECT_LT(watch.peak_bytes(), 200'000u);
}

}  // namespace
}  // namespace tribar::format::testing
