// Counts what `new` hands out, so that tests can say how much memory parsing a file took.
//
//   AllocationWatch watch;
//   parse(bytes);
//   EXPECT_LT(watch.peak_bytes(), 100'000u);
//
// Threads: counts allocations of all threads; one watch at a time.
#pragma once

#include <cstddef>

namespace tribar::format::testing {

class AllocationWatch {
 public:
  AllocationWatch();
  // The most bytes alive at once since construction, beyond those alive then.
  size_t peak_bytes() const;

 private:
  size_t begin_bytes_;
};

}  // namespace tribar::format::testing
