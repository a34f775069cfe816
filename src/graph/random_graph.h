// A random, valid graph of a seed, for tests: property tests of passes and of the memory plan start from it.
//
// Shapes are small and odd on purpose (columns that are no multiple of a vector). Same seed, same graph.
// Threads: pure function.
#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace tribar::graph {

struct RandomGraphParams {
  uint32_t seed = 0;
  int nodes = 30;
  bool attention = true;  // some nodes append to a cache and attend to it
};
Graph make_random_graph(const RandomGraphParams& params);

}  // namespace tribar::graph
