// Finds out how far ahead weights should be fetched on this machine, by reading the model's own.
//
//   kernel::set_prefetch_bytes(tune_prefetch(graph, weights, &team));
//
// Runs the linear layers of one token on a part of the weights that no cache holds, with several distances in turn,
// three times each: some tens of milliseconds. A distance other than the default has to be clearly better. A model
// that is too small to leave the caches gets the default.
// Changes kernel::prefetch_bytes() while it measures and puts it back. No result of a model depends on the distance.
// Errors: none; without memory for its buffers it returns the default. Threads: one caller; uses the team given.
#pragma once

#include <cstdint>

#include "base/thread_team.h"
#include "graph/graph.h"
#include "runtime/weight_store.h"

namespace tribar::runtime {

int64_t tune_prefetch(const graph::Graph& graph, const WeightStore& weights, ThreadTeam* team);

}  // namespace tribar::runtime
