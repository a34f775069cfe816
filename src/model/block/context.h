// BlockContext: what every block of a model needs while the graph is built.
// Threads: one caller.
#pragma once

#include "graph/builder.h"
#include "model/config.h"
#include "model/weight_table.h"

namespace tribar::model {

struct BlockContext {
  const ModelConfig& config;
  graph::Builder& builder;
  WeightTable& weights;
};

}  // namespace tribar::model
