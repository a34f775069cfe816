// Working memory of a kernel call, kept by each thread so that a steady state allocates nothing.
//
//   float* panel = thread_scratch<float>(kRows * kCols);   // 64-byte aligned, contents undefined, valid until the
//   next call
//
// One call a kernel invocation: a second one may move the memory. Grows to the largest size asked for on that thread.
// Errors: none can be returned from a kernel; without memory the process stops (sizes are a few hundred KiB).
// Threads: each has its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tribar::kernel {

std::byte* thread_scratch_bytes(size_t bytes);

template <typename T>
T* thread_scratch(int64_t count) {
  return reinterpret_cast<T*>(thread_scratch_bytes(static_cast<size_t>(count) * sizeof(T)));
}

}  // namespace tribar::kernel
