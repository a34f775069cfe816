// Memory plan: where in one arena each activation of a graph lives, so that values which are never alive together
// share bytes.
//
//   MemoryPlan plan = plan_memory(graph, {.max_tokens = 64, .max_logit_rows = 1});
//   float* x = reinterpret_cast<float*>(arena + plan.offset_bytes[value]);
//
// Rows of an activation lie row_stride_bytes() apart, a multiple of kArenaAlignment, so every row starts on a cache
// line. A node that allows it (OpInfo::in_place) writes over an input that dies there. The other buffers are placed
// greedily by size: largest first, each into the lowest gap among the placed ones alive at the same time (Pisarchyk
// & Lee 2020, arXiv:2001.03288, "greedy by size for offset calculation").
// Threads: pure functions. Errors: none; sizes were checked when the graph was made.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace tribar::graph {

inline constexpr int64_t kArenaAlignment = 64;

// Bytes from one row of an activation to the next.
int64_t row_stride_bytes(DType dtype, int64_t cols);

struct MemoryPlanParams {
  int64_t max_tokens = 0;
  int64_t max_logit_rows = 0;
};

struct MemoryPlan {
  std::vector<int64_t> offset_bytes;  // by ValueId; -1 for what is not in the arena
  int64_t planned_bytes = 0;          // the arena
  int64_t lower_bound_bytes = 0;      // most bytes alive at one node: no plan can be smaller
  int64_t no_reuse_bytes = 0;         // sum of all activations
};

MemoryPlan plan_memory(const Graph& graph, const MemoryPlanParams& params);

// Memory that is needed from node `first` to node `last`, both included.
struct BufferRequest {
  int64_t bytes = 0;
  int64_t first = 0;
  int64_t last = 0;
};
// An offset for each request; requests alive at the same time do not overlap. Bytes are multiples of kArenaAlignment.
std::vector<int64_t> place_greedy_by_size(std::span<const BufferRequest> requests);

}  // namespace tribar::graph
