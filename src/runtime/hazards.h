// HazardTracker: which memory has been read and written since the last barrier, and whether one more step may start
// before the next.
//
//   if (tracker.conflicts(reads, writes)) { barrier; tracker.clear(); }
//   tracker.add(reads, writes);
//
// Two steps conflict when one writes what the other reads or writes. Ranges are half-open on any number line.
// Threads: one caller.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tribar::runtime {

struct MemoryRange {
  int64_t begin = 0;
  int64_t end = 0;
};

class HazardTracker {
 public:
  bool conflicts(const std::vector<MemoryRange>& reads, const std::vector<MemoryRange>& writes) const {
    return overlap(reads, writes_) || overlap(writes, writes_) || overlap(writes, reads_);
  }
  void add(const std::vector<MemoryRange>& reads, const std::vector<MemoryRange>& writes) {
    reads_.insert(reads_.end(), reads.begin(), reads.end());
    writes_.insert(writes_.end(), writes.begin(), writes.end());
  }
  void clear() {
    reads_.clear();
    writes_.clear();
  }

 private:
  static bool overlap(const std::vector<MemoryRange>& a, const std::vector<MemoryRange>& b) {
    return std::any_of(a.begin(), a.end(), [&](const MemoryRange& x) {
      return std::any_of(b.begin(), b.end(), [&](const MemoryRange& y) { return x.begin < y.end && y.begin < x.end; });
    });
  }
  std::vector<MemoryRange> reads_;
  std::vector<MemoryRange> writes_;
};

}  // namespace tribar::runtime
