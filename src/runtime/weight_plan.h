// WeightPlan: for each weight of a graph where its bytes come from, which kernel reads them, and where their copy goes.
//
//   TRIBAR_ASSIGN_OR_RETURN(WeightPlan plan, plan_weights(graph, options));   // nothing allocated or read yet
//   plan.packed_bytes + plan.vector_floats * 4   // memory that loading will take
//
// A weight whose kernel reads the file's rows as they are, that comes in one aligned piece, is not copied at all. Nor
// is an embedding table that is the output matrix as well: its rows are gathered from the matrix's panels.
// Errors: kDataLoss for a tensor that is missing or whose type or shape is not what the graph was built from.
// Threads: pure function; the plan borrows the graph and the source bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "runtime/weight_store.h"

namespace tribar::runtime {

struct PlannedWeight {
  const graph::WeightSpec* spec = nullptr;
  std::vector<std::span<const std::byte>> pieces;  // source bytes in order
  const kernel::LinearKernel* kernel = nullptr;    // kMatrix, and the matrix's for a shared table
  bool mapped = false;                             // read where it lies in the file
  bool shared = false;                             // a table read from the panels of the matrix it is tied to
  int64_t offset_bytes = 0;                        // of the copy; for a vector in floats of the vector buffer
  int64_t size_bytes = 0;                          // of the copy
  int64_t source_bytes() const;
  bool packs() const { return kernel != nullptr && kernel->panel_rows > 0; }
  // A matrix or table of which load() makes a copy, packed or not.
  bool copied() const { return spec->role != graph::WeightRole::kVector && !mapped && !shared; }
};

struct WeightPlan {
  std::vector<PlannedWeight> weights;  // as Graph::weights
  int64_t packed_bytes = 0;
  int64_t vector_floats = 0;
};

Result<WeightPlan> plan_weights(const graph::Graph& graph, const WeightStoreOptions& options);

}  // namespace tribar::runtime
