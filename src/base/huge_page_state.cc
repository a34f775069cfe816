#include "base/huge_page_state.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/huge_pages.h"
#include "base/status.h"

namespace tribar {
namespace {

namespace fs = std::filesystem;

// The word in brackets of "always [madvise] never".
std::string chosen_word(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const size_t open = line.find('[');
  const size_t close = line.find(']', open);
  return open == std::string::npos || close == std::string::npos ? "" : line.substr(open + 1, close - open - 1);
}

void read_hugetlb(const fs::path& root, HugePageState* state) {
  std::ifstream meminfo(root / "proc/meminfo");
  for (std::string line; std::getline(meminfo, line);) {
    std::istringstream words(line);
    std::string key;
    uint64_t value = 0;
    if (!(words >> key >> value)) continue;
    if (key == "HugePages_Total:") state->hugetlb_pages = value;
    if (key == "HugePages_Free:") state->hugetlb_free_pages = value;
    if (key == "Hugepagesize:") state->hugetlb_page_bytes = value * 1024;
  }
  std::ifstream mounts(root / "proc/self/mounts");  // DEVICE FOLDER TYPE ...
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string device;
    std::string folder;
    std::string type;
    if (words >> device >> folder >> type && type == "hugetlbfs") state->hugetlbfs_mount = folder;
  }
}

// A mapping's first line is "BEGIN-END PERMISSIONS ..." in hexadecimal; the others are "Key: value kB".
bool holds(const std::string& line, uintptr_t address) {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  const char* const stop = line.data() + line.size();
  const auto first = std::from_chars(line.data(), stop, begin, 16);
  if (first.ec != std::errc() || first.ptr == stop || *first.ptr != '-') return false;
  const auto second = std::from_chars(first.ptr + 1, stop, end, 16);
  return second.ec == std::errc() && second.ptr != stop && *second.ptr == ' ' && begin <= address && address < end;
}

}  // namespace

HugePageState read_huge_page_state(const fs::path& root) {
  HugePageState state;
  const fs::path folder = root / "sys/kernel/mm/transparent_hugepage";
  state.mode = chosen_word(folder / "enabled");
  state.defrag = chosen_word(folder / "defrag");
  read_hugetlb(root, &state);
  return state;
}

uint64_t anonymous_huge_bytes(const fs::path& smaps, uintptr_t address) {
  std::ifstream file(smaps);
  bool found = false;
  for (std::string line; std::getline(file, line);) {
    if (!found) {
      found = holds(line, address);
      continue;
    }
    std::istringstream words(line);
    std::string key;
    uint64_t kib = 0;
    if (words >> key >> kib && key == "AnonHugePages:") return kib * 1024;
    if (key == "VmFlags:") break;  // the last line of a mapping
  }
  return 0;
}

HugePageProbe probe_huge_pages() {
  constexpr size_t kBytes = 8 * HugeBuffer::kHugePageBytes;
  Result<HugeBuffer> buffer = HugeBuffer::allocate(kBytes);
  if (!buffer.ok()) return {};
  std::memset(buffer->data(), 1, kBytes);
  const auto address = reinterpret_cast<uintptr_t>(buffer->data());
  return {kBytes, std::min<uint64_t>(kBytes, anonymous_huge_bytes("/proc/self/smaps", address))};
}

}  // namespace tribar
