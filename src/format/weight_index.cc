#include "format/weight_index.h"

namespace tribar::format {

int64_t TensorEntry::elements() const {
  int64_t product = 1;
  for (const int64_t dimension : shape) product *= dimension;  // the readers have proven that it fits
  return product;
}

bool WeightIndex::add(TensorEntry entry) {
  const std::string name = entry.name;
  return entries_.emplace(name, std::move(entry)).second;
}

const TensorEntry* WeightIndex::find(std::string_view name) const {
  const auto found = entries_.find(name);
  return found != entries_.end() ? &found->second : nullptr;
}

uint64_t WeightIndex::total_bytes() const {
  uint64_t total = 0;
  for (const auto& [name, entry] : entries_) total += entry.bytes.size();
  return total;
}

}  // namespace tribar::format
