#include "base/aligned_buffer.h"

#include <cstring>
#include <optional>
#include <string>

#include "base/checked_int.h"

namespace tribar {

Result<AlignedBuffer> AlignedBuffer::allocate(size_t bytes) {
  AlignedBuffer buffer;
  if (bytes == 0) return buffer;
  const std::optional<uint64_t> room = checked_align_up(bytes, kAlignment);
  void* data = room ? ::operator new(*room, std::align_val_t{kAlignment}, std::nothrow) : nullptr;
  if (data == nullptr) return resource_exhausted("cannot allocate " + std::to_string(bytes) + " bytes");
  std::memset(data, 0, *room);
  buffer.data_.reset(static_cast<std::byte*>(data));
  buffer.size_bytes_ = bytes;
  return buffer;
}

}  // namespace tribar
