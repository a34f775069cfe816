// Slices of planned weights: the unit in which threads share out loading and give source pages back.
//
//   for (const WeightSlice& slice : slice_weights(plan, slice_bytes)) ...
//   for_each_source(plan.weights[slice.weight], slice.rows, [](std::span<const std::byte> bytes) { ... });
//
// A slice is a run of whole panels of one matrix, about `slice_bytes` of its source. Panels lie one after the other in
// the packed form, each packed_bytes(panel_rows, cols) long, so slices are packed independently.
// Threads: pure functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/weight_plan.h"

namespace tribar::runtime {

struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
};

struct WeightSlice {
  size_t weight = 0;  // index of WeightPlan::weights
  RowRange rows;
};

// Of every matrix and table that is copied, in the order of the plan.
std::vector<WeightSlice> slice_weights(const WeightPlan& plan, int64_t slice_bytes);

int64_t source_row_bytes(const PlannedWeight& weight);

// The source bytes of these rows in order, one call a piece that holds some of them.
template <typename Fn>
void for_each_source(const PlannedWeight& weight, RowRange rows, Fn&& fn) {
  int64_t begin = rows.begin * source_row_bytes(weight);
  int64_t end = rows.end * source_row_bytes(weight);
  for (const std::span<const std::byte> piece : weight.pieces) {
    const auto size = static_cast<int64_t>(piece.size());
    const int64_t from = std::max<int64_t>(begin, 0);
    const int64_t to = std::min(end, size);
    if (from < to) fn(piece.subspan(static_cast<size_t>(from), static_cast<size_t>(to - from)));
    begin -= size;
    end -= size;
  }
}

}  // namespace tribar::runtime
