// Activation groups: how many columns of a linear layer's input share one scale when it is quantised, 32 or 128.
//
//   TRIBAR_ASSIGN_OR_RETURN(auto groups, choose_activation_groups(&graph, {weights, cache, team, isa}, ids));
//   for (const ActivationGroup& g : groups) printf("%s: %ld\n", g.layer.c_str(), g.group);
//
// One scale for 128 columns saves multiplying every product of 32 by a scale of its own, which is faster; it also
// rounds every value of a group to the step of its largest one, which is worse where a few channels are far larger than
// the others. So the choice is made for each input by measuring: a short text runs through the model once, and an input
// is quantised in groups of 128 where the error of doing so stays below kLargestWideError.
//
// The graph is optimised already (pass select_quant has put its quantize nodes); only QuantizeAttrs::group changes.
// Only inputs read by a kernel that has a form for wide groups are considered; without one nothing is run at all.
// The choice depends on the model's weights, on `ids` and on the kernels, not on the number of threads.
// Errors: as Executor::run; the graph is then unchanged. Threads: one caller; uses the team given.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "runtime/kv/kv_cache.h"
#include "runtime/weight_store.h"

namespace tribar::runtime {

// An input that several linear layers share is one entry.
struct ActivationGroup {
  std::string layer;        // the weights that read it, joined by " + "
  int64_t cols = 0;         // of the input
  int64_t group = 32;       // chosen
  double error_narrow = 0;  // relative squared error of groups of 32, mean over the rows; 0: not measured
  double error_wide = 0;    // of groups of 128
};

// Noise of quantisation relative to the signal that is accepted for groups of 128 (docs/performance.md has the
// perplexities behind it).
inline constexpr double kLargestWideError = 2e-4;

struct CalibrationRun {
  const WeightStore* weights = nullptr;
  KvCache* cache = nullptr;  // its first blocks are written
  ThreadTeam* team = nullptr;
  Isa isa = Isa::kReference;
};

// `ids`: not empty, at most as many as the cache holds.
Result<std::vector<ActivationGroup>> choose_activation_groups(graph::Graph* graph, const CalibrationRun& run,
                                                              std::span<const int32_t> ids);

// The same group for every input that could have it; nothing is measured. group: 32 or 128.
std::vector<ActivationGroup> set_activation_groups(graph::Graph* graph, const WeightStore& weights, int64_t group);

// Expected squared error of quantising the rows of x [T, K] F32 with one scale for `group` columns, relative to their
// squared length, mean over the rows: a value is off by up to half a step of its group, evenly spread.
double quantization_error(const TensorView& x, int64_t group);

}  // namespace tribar::runtime
