// HugeBuffer: zeroed memory for weights and arenas, on 2 MiB pages where the system allows, owned.
//
//   TRIBAR_ASSIGN_OR_RETURN(HugeBuffer panels, HugeBuffer::allocate(packed_bytes));
//
// A decode step streams all weights once: with 4 KiB pages the 1.5k entries of the second-level TLB cover 6 MiB, with
// 2 MiB pages 3 GiB. The buffer starts on a 2 MiB boundary and is advised MADV_HUGEPAGE; it costs memory only where it
// is touched. Requests below 2 MiB are rounded up to 4 KiB pages only.
// Threads: a value; no shared state. Errors: kResourceExhausted when there is no address space or memory.
#pragma once

#include <cstddef>
#include <utility>

#include "base/status.h"

namespace tribar {

class HugeBuffer {
 public:
  static constexpr size_t kHugePageBytes = size_t{2} << 20;

  HugeBuffer() = default;
  ~HugeBuffer();
  HugeBuffer(HugeBuffer&& other) noexcept { swap(other); }
  HugeBuffer& operator=(HugeBuffer&& other) noexcept {
    HugeBuffer(std::move(other)).swap(*this);
    return *this;
  }
  static Result<HugeBuffer> allocate(size_t bytes);

  std::byte* data() const { return data_; }
  size_t size() const { return size_bytes_; }
  bool empty() const { return size_bytes_ == 0; }
  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  void swap(HugeBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_bytes_, other.size_bytes_);
    std::swap(mapped_bytes_, other.mapped_bytes_);
  }

  std::byte* data_ = nullptr;
  size_t size_bytes_ = 0;    // as asked for
  size_t mapped_bytes_ = 0;  // as mapped, whole pages
};

}  // namespace tribar
