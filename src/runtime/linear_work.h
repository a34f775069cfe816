// LinearWork: what the linear layers of a model cost, to hold measured speed against the machine's ceilings.
//
//   const LinearWork work = linear_work(graph, *store);
//   double bytes_per_second = work.weight_bytes * decode_tokens_per_second;
//
// A pass reads every weight once, in the form its kernel reads (packed, or the file's rows), whatever the tokens in it.
// Embedding rows, norms and the KV cache are not counted. Threads: pure function. Units: bytes, multiply-adds.
#pragma once

#include <cstdint>

#include "graph/graph.h"
#include "runtime/weight_store.h"

namespace tribar::runtime {

struct LinearWork {
  int64_t weight_bytes = 0;        // of one pass
  int64_t macs_per_token = 0;      // layers that every token goes through
  int64_t macs_per_logit_row = 0;  // the output layer
};

// Bytes that a pass reads of this matrix, in the form its kernel reads.
int64_t stored_bytes(const WeightStore::Matrix& matrix);

LinearWork linear_work(const graph::Graph& graph, const WeightStore& store);

}  // namespace tribar::runtime
