#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "base/checked_int.h"

namespace tribar {
namespace {

constexpr uintptr_t kFaultWindowBytes = uintptr_t{64} << 10;  // Linux's fault_around_bytes

Status errno_status(int error) {
  std::string message = std::generic_category().message(error);
  switch (error) {
    case ENOENT:
    case ENOTDIR: return not_found("no such file");
    case ENOMEM:
    case EMFILE:
    case ENFILE: return resource_exhausted(std::move(message));
    default: return invalid_argument("cannot read: " + message);
  }
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

struct OpenFile {
  FileDescriptor fd;
  size_t size_bytes;
};

Result<OpenFile> open_regular(const std::string& path) {
  // O_NONBLOCK: opening a named pipe must fail below, not wait for a writer.
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return errno_status(errno);
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return errno_status(errno);
  if (S_ISDIR(info.st_mode)) return invalid_argument("is a directory");
  if (!S_ISREG(info.st_mode)) return invalid_argument("is not a regular file");
  const std::optional<size_t> size = checked_cast<size_t>(info.st_size);
  if (!size) return resource_exhausted("is too large");
  return OpenFile{std::move(fd), *size};
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  TRIBAR_ASSIGN_OR_RETURN(const OpenFile file, open_regular(path));
  if (file.size_bytes == 0) return data_loss("the file is empty");
  void* data = ::mmap(nullptr, file.size_bytes, PROT_READ, MAP_PRIVATE, file.fd.get(), 0);
  if (data == MAP_FAILED) return errno_status(errno).with_context("cannot map the file");
  return MappedFile({static_cast<const std::byte*>(data), file.size_bytes});
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

void MappedFile::drop_pages(std::span<const std::byte> part) const {
  const auto file = reinterpret_cast<uintptr_t>(bytes_.data());
  const auto begin = reinterpret_cast<uintptr_t>(part.data());
  if (part.empty() || begin < file || begin - file >= bytes_.size()) return;
  const uintptr_t down = std::max(file, begin / kFaultWindowBytes * kFaultWindowBytes);
  const uintptr_t up = (begin + part.size() + kFaultWindowBytes - 1) / kFaultWindowBytes * kFaultWindowBytes;
  // Never past the mapping: what lies there is other memory, whose content would be lost.
  ::madvise(const_cast<std::byte*>(bytes_.data()) + (down - file), std::min(up, file + bytes_.size()) - down,
            MADV_DONTNEED);
}

Result<std::string> read_text_file(const std::string& path, size_t max_bytes) {
  TRIBAR_ASSIGN_OR_RETURN(const OpenFile file, open_regular(path));
  if (file.size_bytes > max_bytes) {
    return resource_exhausted("is larger than " + std::to_string(max_bytes >> 20) + " MiB");
  }
  std::string text(file.size_bytes, '\0');
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = ::read(file.fd.get(), text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_status(errno);
    if (got == 0) return data_loss("the file became shorter while it was read");
    done += static_cast<size_t>(got);
  }
  return text;
}

}  // namespace tribar
