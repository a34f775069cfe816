// Runner: executes a golden model with a chosen instruction set, precision, execution mode and number of threads,
// without the engine around it.
//
//   TRIBAR_ASSIGN_OR_RETURN(auto runner, Runner::create(file, {.isa = Isa::kGeneric}));
//   TRIBAR_ASSIGN_OR_RETURN(Rows logits, runner->logits(ids));
#pragma once

#include <memory>
#include <vector>

#include "base/cpu_features.h"
#include "base/thread_team.h"
#include "golden/golden_file.h"
#include "kernel/table.h"
#include "runtime/executor.h"

namespace tribar::golden {

struct RunOptions {
  Isa isa = Isa::kReference;
  kernel::Precision precision = kernel::Precision::kExact;
  runtime::ExecutionMode mode = runtime::ExecutionMode::kPlanned;
  int threads = 1;
  int optimisation_level = 3;
};

using Rows = std::vector<std::vector<float>>;

class Runner {
 public:
  // `file` must outlive the runner.
  static Result<std::unique_ptr<Runner>> create(const GoldenFile& file, const RunOptions& options);

  // Logits of every position, computed `chunk` tokens at a time (0: all at once).
  Result<Rows> logits(std::span<const int32_t> ids, int64_t chunk = 0);
  // The prompt in one step, then one token at a time through the cache; from the start again where a longrope model
  // crosses its original length.
  Result<std::vector<int32_t>> greedy(std::span<const int32_t> prompt, size_t count);

  runtime::Executor& executor() { return *executor_; }
  const model::ModelInfo& info() const { return info_; }

  static constexpr int64_t kMaxTokens = 128;

 private:
  explicit Runner(int threads) : team_(threads) {}
  Status load(const GoldenFile& file, const RunOptions& options);
  // Appends ids[start, end) of one sequence; logits of all of them.
  Result<Rows> step(std::span<const int32_t> ids, int64_t start, int64_t rope_length);

  ThreadTeam team_;
  model::ModelInfo info_;
  std::unique_ptr<runtime::WeightStore> weights_;
  std::unique_ptr<runtime::KvCache> cache_;
  std::unique_ptr<runtime::Executor> executor_;
};

// Instruction sets of this machine.
std::vector<Isa> supported_isas();

double max_difference(const Rows& a, const Rows& b);
double rms_difference(const Rows& a, const Rows& b);
double rms(const Rows& rows);

}  // namespace tribar::golden
