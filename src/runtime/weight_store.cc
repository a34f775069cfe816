#include "runtime/weight_store.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/huge_pages.h"
#include "runtime/weight_plan.h"
#include "tensor/quant/quant.h"

namespace tribar::runtime {
namespace {

using graph::WeightRole;

class PackedWeightStore final : public WeightStore {
 public:
  Status allocate(const WeightPlan& plan) {
    TRIBAR_ASSIGN_OR_RETURN(packed_, HugeBuffer::allocate(static_cast<size_t>(plan.packed_bytes)));
    TRIBAR_ASSIGN_OR_RETURN(join_, HugeBuffer::allocate(static_cast<size_t>(plan.largest_join_bytes)));
    const size_t vector_bytes = static_cast<size_t>(plan.vector_floats) * sizeof(float);
    TRIBAR_ASSIGN_OR_RETURN(vectors_, AlignedBuffer::allocate(vector_bytes));
    matrices_.resize(plan.weights.size());
    vector_views_.resize(plan.weights.size());
    return {};
  }

  Status fill(const WeightPlan& plan, const WeightStoreOptions& options, ThreadTeam* team) {
    int64_t total = 0;
    for (const PlannedWeight& w : plan.weights) total += w.mapped ? 0 : w.source_bytes();
    int64_t done = 0;
    for (size_t i = 0; i < plan.weights.size(); ++i) {
      const PlannedWeight& w = plan.weights[i];
      if (w.spec->role == WeightRole::kVector) {
        TRIBAR_RETURN_IF_ERROR(fill_vector(i, w));
      } else {
        fill_matrix(i, w, team);
        if (!w.mapped) drop_source(w, options);
      }
      done += w.mapped ? 0 : w.source_bytes();
      const double fraction = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1.0;
      if (options.progress && !options.progress(fraction)) return {StatusCode::kCancelled, "loading was cancelled"};
    }
    join_ = {};
    return {};
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

  void fill_matrix(size_t index, const PlannedWeight& w, ThreadTeam* team) {
    const kernel::WeightView source{w.pieces[0].data(), w.spec->dtype, w.spec->rows, w.spec->cols};
    Matrix& matrix = matrices_[index];
    matrix.kernel = w.kernel;
    matrix.view = source;
    if (w.mapped) return;
    std::byte* const target = packed_.data() + w.offset_bytes;
    matrix.view.data = target;
    const bool packs = w.kernel != nullptr && w.kernel->panel_rows > 0;
    std::byte* const joined = packs ? join_.data() : target;
    team->run([&](Shard shard) {
      if (!packs || w.pieces.size() > 1) copy_pieces(w, joined, shard);
      if (!packs) return;
      team->barrier();
      kernel::WeightView rows = source;
      if (w.pieces.size() > 1) rows.data = joined;
      w.kernel->pack(rows, target, shard);
    });
  }

  static void copy_pieces(const PlannedWeight& w, std::byte* target, Shard shard) {
    for (const std::span<const std::byte> piece : w.pieces) {
      const auto [begin, end] = shard.range(static_cast<int64_t>(piece.size()), 4096);
      std::memcpy(target + begin, piece.data() + begin, static_cast<size_t>(end - begin));
      target += piece.size();
    }
  }

  static void drop_source(const PlannedWeight& w, const WeightStoreOptions& options) {
    if (!options.drop_pages) return;
    for (const std::span<const std::byte> piece : w.pieces) options.drop_pages(piece);
  }

  HugeBuffer packed_;
  HugeBuffer join_;
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
  return static_cast<uint64_t>(plan.packed_bytes) + static_cast<uint64_t>(plan.largest_join_bytes) +
         static_cast<uint64_t>(plan.vector_floats) * sizeof(float);
}

}  // namespace tribar::runtime
