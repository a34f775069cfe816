// AlignedBuffer: zeroed heap memory that starts on a cache line and ends on one (64 bytes), owned.
//
//   TRIBAR_ASSIGN_OR_RETURN(AlignedBuffer buffer, AlignedBuffer::allocate(rows * stride_bytes));
//   float* x = buffer.as<float>();
//
// The room is rounded up to 64 bytes so that a full vector load of the last elements stays inside it.
// For weights and arenas of megabytes take HugeBuffer (base/huge_pages.h) instead.
// Threads: a value; no shared state. Errors: kResourceExhausted when there is no memory.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "base/status.h"

namespace tribar {

class AlignedBuffer {
 public:
  static constexpr size_t kAlignment = 64;

  AlignedBuffer() = default;
  static Result<AlignedBuffer> allocate(size_t bytes);

  std::byte* data() const { return data_.get(); }
  size_t size() const { return size_bytes_; }
  bool empty() const { return size_bytes_ == 0; }
  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(data_.get());
  }

 private:
  struct Free {
    void operator()(std::byte* data) const { ::operator delete(data, std::align_val_t{kAlignment}); }
  };
  std::unique_ptr<std::byte, Free> data_;
  size_t size_bytes_ = 0;
};

}  // namespace tribar
