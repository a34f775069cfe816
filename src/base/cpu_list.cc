#include <charconv>
#include <optional>

#include "base/cpu_topology.h"

namespace tribar {
namespace {

constexpr int kMostCpus = 1 << 20;  // a damaged file must not ask for more

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value >= kMostCpus) return std::nullopt;
  return value;
}

}  // namespace

std::vector<int> parse_cpu_list(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::vector<int> cpus;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(part.size() < text.size() ? part.size() + 1 : text.size());
    const size_t dash = part.find('-');
    const std::optional<int> first = whole_number(part.substr(0, dash));
    const std::optional<int> last = dash == std::string_view::npos ? first : whole_number(part.substr(dash + 1));
    if (!first || !last || *last < *first) return {};
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::string cpu_list_text(const std::vector<int>& cpus) {
  std::string text;
  for (size_t i = 0; i < cpus.size();) {
    size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (end - i > 1) text += '-' + std::to_string(cpus[end - 1]);
    i = end;
  }
  return text;
}

}  // namespace tribar
