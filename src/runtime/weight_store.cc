#include "runtime/weight_store.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/huge_pages.h"
#include "runtime/fill_matrices.h"
#include "runtime/weight_plan.h"
#include "tensor/quant/quant.h"

namespace tribar::runtime {
namespace {

using graph::WeightRole;

class PackedWeightStore final : public WeightStore {
 public:
  Status allocate(const WeightPlan& plan) {
    TRIBAR_ASSIGN_OR_RETURN(packed_, HugeBuffer::allocate(static_cast<size_t>(plan.packed_bytes)));
    const size_t vector_bytes = static_cast<size_t>(plan.vector_floats) * sizeof(float);
    TRIBAR_ASSIGN_OR_RETURN(vectors_, AlignedBuffer::allocate(vector_bytes));
    matrices_.resize(plan.weights.size());
    vector_views_.resize(plan.weights.size());
    return {};
  }

  Status fill(const WeightPlan& plan, const WeightStoreOptions& options, ThreadTeam* team) {
    for (size_t i = 0; i < plan.weights.size(); ++i) {
      const PlannedWeight& w = plan.weights[i];
      if (w.spec->role == WeightRole::kVector) {
        TRIBAR_RETURN_IF_ERROR(fill_vector(i, w));
        if (options.drop_pages) std::for_each(w.pieces.begin(), w.pieces.end(), options.drop_pages);
      } else {
        const std::byte* data = w.mapped ? w.pieces[0].data() : packed_.data() + w.offset_bytes;
        matrices_[i] = {{data, w.spec->dtype, w.spec->rows, w.spec->cols}, w.kernel};
      }
    }
    return fill_matrices(plan, options, packed_.data(), team);
  }

  const Matrix& matrix(int32_t weight) const override { return matrices_[static_cast<size_t>(weight)]; }
  std::span<const float> vector(int32_t weight) const override { return vector_views_[static_cast<size_t>(weight)]; }
  uint64_t packed_bytes() const override { return packed_.size() + vectors_.size(); }

 private:
  Status fill_vector(size_t index, const PlannedWeight& w) {
    float* const begin = vectors_.as<float>() + w.offset_bytes;
    float* out = begin;
    const int64_t element_bytes = dtype_info(w.spec->dtype).block_bytes;
    for (size_t p = 0; p < w.pieces.size(); ++p) {
      const auto count = static_cast<int64_t>(w.pieces[p].size()) / element_bytes;
      quant::dequantize_row(w.spec->dtype, w.pieces[p].data(), out, count);
      if (!std::all_of(out, out + count, [](float x) { return std::isfinite(x); })) {
        return data_loss("tensor " + w.spec->pieces[p].tensor + " holds a NaN or infinity");
      }
      out += count;
    }
    vector_views_[index] = {begin, out};
    return {};
  }

  HugeBuffer packed_;
  AlignedBuffer vectors_;
  std::vector<Matrix> matrices_;                      // by weight; empty for vectors
  std::vector<std::span<const float>> vector_views_;  // by weight; empty for matrices
};

}  // namespace

Result<std::unique_ptr<WeightStore>> WeightStore::load(const graph::Graph& graph, const WeightStoreOptions& options,
                                                       ThreadTeam* team) {
  TRIBAR_ASSIGN_OR_RETURN(const WeightPlan plan, plan_weights(graph, options));
  auto store = std::make_unique<PackedWeightStore>();
  TRIBAR_RETURN_IF_ERROR(store->allocate(plan).with_context("weights"));
  TRIBAR_RETURN_IF_ERROR(store->fill(plan, options, team));
  return std::unique_ptr<WeightStore>(std::move(store));
}

Result<uint64_t> WeightStore::needed_bytes(const graph::Graph& graph, const WeightStoreOptions& options) {
  TRIBAR_ASSIGN_OR_RETURN(const WeightPlan plan, plan_weights(graph, options));
  return static_cast<uint64_t>(plan.packed_bytes) + static_cast<uint64_t>(plan.vector_floats) * sizeof(float);
}

}  // namespace tribar::runtime
