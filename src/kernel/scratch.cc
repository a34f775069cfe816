#include "kernel/scratch.h"

#include "base/aligned_buffer.h"

namespace tribar::kernel {

std::byte* thread_scratch_bytes(size_t bytes) {
  thread_local AlignedBuffer buffer;
  if (buffer.size() < bytes) {
    buffer = {};
    Result<AlignedBuffer> grown = AlignedBuffer::allocate(bytes);
    TRIBAR_CHECK_MSG(grown.ok(), grown.status().message());
    buffer = std::move(*grown);
  }
  return buffer.data();
}

}  // namespace tribar::kernel
