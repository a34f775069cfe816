#include "runtime/fill_matrices.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <vector>

#include "base/huge_pages.h"
#include "runtime/weight_slices.h"

namespace tribar::runtime {
namespace {

// Large enough that the seams between slices (a system call, source pages that are mapped twice) cost nothing.
constexpr int64_t kMaxSliceBytes = int64_t{4} << 20;
constexpr int64_t kMinSlices = 32;  // a member

int64_t source_bytes(const PlannedWeight& weight, RowRange rows) {
  return (rows.end - rows.begin) * source_row_bytes(weight);
}

class Filler {
 public:
  Filler(const WeightPlan& plan, const WeightStoreOptions& options, std::byte* packed)
      : plan_(plan), options_(options), packed_(packed) {}

  Status run(ThreadTeam* team) {
    for (const PlannedWeight& w : plan_.weights) total_bytes_ += w.copied() ? w.source_bytes() : 0;
    slices_ = slice_weights(plan_, std::min(kMaxSliceBytes, total_bytes_ / (kMinSlices * team->size())));
    TRIBAR_RETURN_IF_ERROR(allocate_joins(team->size()));
    team->run([&](Shard shard) {
      for (size_t i = next_++; i < slices_.size() && !cancelled_; i = next_++) {
        fill(slices_[i], shard.index);
        done_bytes_ += source_bytes(plan_.weights[slices_[i].weight], slices_[i].rows);
        if (shard.index == 0) report();
      }
    });
    if (!cancelled_) report();
    return cancelled_ ? Status{StatusCode::kCancelled, "loading was cancelled"} : Status{};
  }

 private:
  bool is_joined(const WeightSlice& slice) const {
    int pieces = 0;
    for_each_source(plan_.weights[slice.weight], slice.rows, [&](std::span<const std::byte>) { ++pieces; });
    return pieces > 1 && plan_.weights[slice.weight].packs();
  }

  Status allocate_joins(int members) {
    for (const WeightSlice& slice : slices_) {
      if (is_joined(slice)) {
        join_bytes_ = std::max(join_bytes_, source_bytes(plan_.weights[slice.weight], slice.rows));
      }
    }
    TRIBAR_ASSIGN_OR_RETURN(joins_, HugeBuffer::allocate(static_cast<size_t>(join_bytes_ * members)));
    return {};
  }

  void fill(const WeightSlice& slice, int member) {
    const PlannedWeight& w = plan_.weights[slice.weight];
    std::byte* const target = packed_ + w.offset_bytes;
    if (!w.packs()) {
      copy(w, slice.rows, target + slice.rows.begin * source_row_bytes(w));
    } else {
      kernel::WeightView source{nullptr, w.spec->dtype, slice.rows.end - slice.rows.begin, w.spec->cols};
      if (is_joined(slice)) {
        std::byte* const join = joins_.data() + member * join_bytes_;
        copy(w, slice.rows, join);
        source.data = join;
      } else {
        for_each_source(w, slice.rows, [&](std::span<const std::byte> bytes) { source.data = bytes.data(); });
      }
      w.kernel->pack(source, target + w.kernel->packed_bytes(slice.rows.begin, w.spec->cols), {});
    }
    if (options_.drop_pages) for_each_source(w, slice.rows, options_.drop_pages);
  }

  static void copy(const PlannedWeight& w, RowRange rows, std::byte* to) {
    for_each_source(w, rows, [&](std::span<const std::byte> bytes) {
      std::memcpy(to, bytes.data(), bytes.size());
      to += bytes.size();
    });
  }

  void report() {
    const double total = static_cast<double>(total_bytes_);
    const double fraction = total_bytes_ > 0 ? static_cast<double>(done_bytes_) / total : 1.0;
    if (options_.progress && !options_.progress(fraction)) cancelled_ = true;
  }

  const WeightPlan& plan_;
  const WeightStoreOptions& options_;
  std::byte* const packed_;
  int64_t total_bytes_ = 0;
  std::vector<WeightSlice> slices_;
  int64_t join_bytes_ = 0;  // of one member
  HugeBuffer joins_;        // rows of a slice that lie in several pieces
  std::atomic<size_t> next_ = 0;
  std::atomic<int64_t> done_bytes_ = 0;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace

Status fill_matrices(const WeightPlan& plan, const WeightStoreOptions& options, std::byte* packed, ThreadTeam* team) {
  return Filler(plan, options, packed).run(team);
}

}  // namespace tribar::runtime
