#include "runtime/weight_slices.h"

namespace tribar::runtime {

int64_t source_row_bytes(const PlannedWeight& weight) { return weight.source_bytes() / weight.spec->rows; }

std::vector<WeightSlice> slice_weights(const WeightPlan& plan, int64_t slice_bytes) {
  std::vector<WeightSlice> slices;
  for (size_t i = 0; i < plan.weights.size(); ++i) {
    const PlannedWeight& weight = plan.weights[i];
    if (!weight.copied()) continue;
    const int64_t grain = weight.packs() ? weight.kernel->panel_rows : 1;
    const int64_t rows = std::max<int64_t>(slice_bytes / (source_row_bytes(weight) * grain), 1) * grain;
    for (int64_t begin = 0; begin < weight.spec->rows; begin += rows) {
      slices.push_back({i, {begin, std::min(begin + rows, weight.spec->rows)}});
    }
  }
  return slices;
}

}  // namespace tribar::runtime
