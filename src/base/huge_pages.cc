#include "base/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/checked_int.h"

namespace tribar {
namespace {

constexpr size_t kPageBytes = 4096;

void* map(size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return data == MAP_FAILED ? nullptr : data;
}

// `bytes` (a multiple of 2 MiB) at a 2 MiB boundary: map one page more, then give back what sticks out on both sides.
void* map_aligned(size_t bytes) {
  constexpr size_t kHuge = HugeBuffer::kHugePageBytes;
  const std::optional<uint64_t> with_slack = checked_add<uint64_t>(bytes, kHuge);
  auto* start = with_slack ? static_cast<std::byte*>(map(*with_slack)) : nullptr;
  if (start == nullptr) return nullptr;
  const size_t head = (kHuge - reinterpret_cast<uintptr_t>(start) % kHuge) % kHuge;
  if (head > 0) munmap(start, head);
  munmap(start + head + bytes, kHuge - head);
  madvise(start + head, bytes, MADV_HUGEPAGE);  // advice: a kernel without huge pages refuses, and that is fine
  return start + head;
}

}  // namespace

HugeBuffer::~HugeBuffer() {
  if (data_ != nullptr) munmap(data_, mapped_bytes_);
}

Result<HugeBuffer> HugeBuffer::allocate(size_t bytes) {
  HugeBuffer buffer;
  if (bytes == 0) return buffer;
  const bool small = bytes < kHugePageBytes;
  const std::optional<uint64_t> mapped = checked_align_up(bytes, small ? kPageBytes : kHugePageBytes);
  void* data = nullptr;
  if (mapped) data = small ? map(*mapped) : map_aligned(*mapped);
  if (data == nullptr) return resource_exhausted("cannot allocate " + std::to_string(bytes) + " bytes");
  buffer.data_ = static_cast<std::byte*>(data);
  buffer.size_bytes_ = bytes;
  buffer.mapped_bytes_ = *mapped;
  return buffer;
}

}  // namespace tribar
