#include "app/text_input.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace tribar::app {
namespace {

Result<std::string> read_stream(std::FILE* stream, const std::string& name) {
  std::string text;
  std::array<char, 65536> buffer;
  while (const size_t n = std::fread(buffer.data(), 1, buffer.size(), stream)) text.append(buffer.data(), n);
  if (std::ferror(stream) != 0) return not_found("cannot read " + name + ": " + std::strerror(errno));
  return text;
}

}  // namespace

Result<std::string> read_text(const std::string& path) {
  if (path == "-") return read_stream(stdin, "standard input");
  struct stat info{};
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return invalid_argument("'" + path + "' is a folder, not a file");
  }
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return not_found("cannot open '" + path + "': " + std::strerror(errno));
  Result<std::string> text = read_stream(file, "'" + path + "'");
  std::fclose(file);
  return text;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace tribar::app
