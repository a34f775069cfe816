// MappedFile: a whole regular file as read-only memory; pages are read when they are touched.
//
//   TRIBAR_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open("model.gguf"));
//   std::span<const std::byte> bytes = file.bytes();
//
// Errors: kNotFound, kInvalidArgument (no regular file, no right to read), kDataLoss (empty), kResourceExhausted (no
// address space). Messages do not repeat the path: the caller names it.
// Threads: immutable; drop_pages may run beside readers, who then only wait for the disk again.
// A file cut by someone else while it is mapped ends the process with SIGBUS: model files must not be rewritten in
// place.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/status.h"

namespace tribar {

class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

  // Tells the kernel that the pages of `part` are not needed soon, nor their neighbours up to the next 64 KiB border,
  // which it maps along with a page that is read. Their content stays what it is. A part of another file is ignored.
  void drop_pages(std::span<const std::byte> part) const;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

// The content of a small file as text; kResourceExhausted if it is longer than `max_bytes`.
Result<std::string> read_text_file(const std::string& path, size_t max_bytes);

}  // namespace tribar
