// The two ways to execute a graph, behind Executor::create. Internal to runtime/.
//
// Threads: as Executor.
#pragma once

#include <memory>

#include "runtime/executor.h"
#include "runtime/step_buffers.h"

namespace tribar::runtime {

struct ExecutorParts {
  graph::Graph graph;  // rope factors folded in
  const WeightStore* weights = nullptr;
  KvCache* cache = nullptr;
  ThreadTeam* team = nullptr;
  ExecutorOptions options;
  StepLimits limits;
};

Result<std::unique_ptr<Executor>> make_planned_executor(ExecutorParts parts);
Result<std::unique_ptr<Executor>> make_eager_executor(ExecutorParts parts);

}  // namespace tribar::runtime
