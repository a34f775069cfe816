#include "base/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace tribar {
namespace {

Status write_error(int error) {
  std::string message = "cannot write: " + std::generic_category().message(error);
  return error == ENOSPC || error == EDQUOT ? resource_exhausted(std::move(message))
                                            : invalid_argument(std::move(message));
}

// 0 or errno.
int write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return 0;
}

}  // namespace

Status write_file(const std::string& path, std::span<const std::byte> bytes) {
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkstemp(temporary.data());
  if (fd < 0) return write_error(errno);
  int error = write_all(fd, bytes);
  // mkstemp gives 0600; a model is as readable as any other new file.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (error == 0 && ::fchmod(fd, 0666 & ~mask) != 0) error = errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return write_error(error);
}

}  // namespace tribar
