#include "graph/memory_plan.h"

#include <algorithm>
#include <numeric>

#include "tensor/act_q8.h"

namespace tribar::graph {
namespace {

// A piece of the arena and the values that take turns in it.
struct Storage {
  int64_t bytes = 0;
  int64_t first = 0;
  int64_t last = 0;
};

class Planner {
 public:
  Planner(const Graph& graph, const MemoryPlanParams& params)
      : graph_(graph), params_(params), last_use_(graph.values.size(), -1), storage_of_(graph.values.size(), -1) {}

  MemoryPlan run() {
    find_last_uses();
    for (size_t i = 0; i < graph_.nodes.size(); ++i) assign_storage(static_cast<int64_t>(i));
    return place();
  }

 private:
  bool in_arena(ValueId id) const { return id != kNoValue && graph_.value(id).kind == ValueKind::kActivation; }

  int64_t bytes_of(const Value& v) const {
    const int64_t rows = v.shape.rows == RowSymbol::kTokens ? params_.max_tokens : params_.max_logit_rows;
    return rows * row_stride_bytes(v.dtype, v.shape.cols);
  }

  void find_last_uses() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const auto index = static_cast<int64_t>(i);
      for (const ValueId id : graph_.nodes[i].outputs) last_use_[static_cast<size_t>(id)] = index;
      for (const ValueId id : graph_.nodes[i].inputs) {
        if (in_arena(id)) last_use_[static_cast<size_t>(id)] = index;
      }
    }
    // The caller reads the logits after the last node.
    if (graph_.logits != kNoValue)
      last_use_[static_cast<size_t>(graph_.logits)] = static_cast<int64_t>(graph_.nodes.size());
  }

  // The input whose memory this node's output takes over, or kNoValue.
  ValueId input_to_overwrite(int64_t index) const {
    const Node& node = graph_.nodes[static_cast<size_t>(index)];
    for (size_t i = 0; i < node.inputs.size() && i < 32; ++i) {
      const ValueId id = node.inputs[i];
      if ((op_info(node.op).in_place >> i & 1) == 0 || !in_arena(id)) continue;
      const Value& in = graph_.value(id);
      const Value& out = graph_.value(node.outputs[0]);
      if (last_use_[static_cast<size_t>(id)] == index && in.dtype == out.dtype && in.shape == out.shape) return id;
    }
    return kNoValue;
  }

  void assign_storage(int64_t index) {
    const Node& node = graph_.nodes[static_cast<size_t>(index)];
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      const auto out = static_cast<size_t>(node.outputs[o]);
      const ValueId reused = o == 0 ? input_to_overwrite(index) : kNoValue;
      if (reused != kNoValue) {
        storage_of_[out] = storage_of_[static_cast<size_t>(reused)];
        storages_[static_cast<size_t>(storage_of_[out])].last = last_use_[out];
      } else {
        storage_of_[out] = static_cast<int64_t>(storages_.size());
        storages_.push_back({bytes_of(graph_.values[out]), index, last_use_[out]});
      }
    }
  }

  MemoryPlan place() const {
    std::vector<BufferRequest> requests;
    for (const Storage& s : storages_) requests.push_back({s.bytes, s.first, s.last});
    const std::vector<int64_t> offsets = place_greedy_by_size(requests);

    MemoryPlan plan;
    plan.offset_bytes.assign(graph_.values.size(), -1);
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      if (storage_of_[v] < 0) continue;
      plan.offset_bytes[v] = offsets[static_cast<size_t>(storage_of_[v])];
      plan.no_reuse_bytes += bytes_of(graph_.values[v]);
    }
    std::vector<int64_t> alive(graph_.nodes.size() + 1);
    for (size_t s = 0; s < storages_.size(); ++s) {
      plan.planned_bytes = std::max(plan.planned_bytes, offsets[s] + storages_[s].bytes);
      for (int64_t i = storages_[s].first; i <= storages_[s].last; ++i)
        alive[static_cast<size_t>(i)] += storages_[s].bytes;
    }
    plan.lower_bound_bytes = *std::max_element(alive.begin(), alive.end());
    return plan;
  }

  const Graph& graph_;
  MemoryPlanParams params_;
  std::vector<int64_t> last_use_;    // by value
  std::vector<int64_t> storage_of_;  // by value, index into storages_
  std::vector<Storage> storages_;
};

}  // namespace

int64_t row_stride_bytes(DType dtype, int64_t cols) {
  if (dtype == DType::kQ8Act) return act_q8::row_stride_bytes(cols);
  const int64_t bytes = cols * static_cast<int64_t>(sizeof(float));
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

std::vector<int64_t> place_greedy_by_size(std::span<const BufferRequest> requests) {
  std::vector<size_t> by_size(requests.size());
  std::iota(by_size.begin(), by_size.end(), size_t{0});
  std::sort(by_size.begin(), by_size.end(), [&](size_t a, size_t b) {
    return requests[a].bytes != requests[b].bytes ? requests[a].bytes > requests[b].bytes : a < b;
  });

  std::vector<int64_t> offsets(requests.size(), 0);
  std::vector<size_t> placed;  // in order of offset
  for (const size_t r : by_size) {
    int64_t offset = 0;
    for (const size_t p : placed) {
      if (requests[p].last < requests[r].first || requests[p].first > requests[r].last) continue;
      if (offset + requests[r].bytes <= offsets[p]) break;  // the gap before p is large enough
      offset = std::max(offset, offsets[p] + requests[p].bytes);
    }
    offsets[r] = offset;
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), r, [&](size_t a, size_t b) { return offsets[a] < offsets[b]; }),
        r);
  }
  return offsets;
}

MemoryPlan plan_memory(const Graph& graph, const MemoryPlanParams& params) { return Planner(graph, params).run(); }

}  // namespace tribar::graph
