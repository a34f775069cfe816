#include "golden/runner.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/pipeline.h"

namespace tribar::golden {
namespace {

// Not in order, so that a mistake in the use of block tables shows.
constexpr std::array<int32_t, 4> kBlocks = {2, 0, 3, 1};
constexpr int64_t kBlockTokens = 32;

}  // namespace

std::vector<Isa> supported_isas() {
  std::vector<Isa> isas;
  for (const Isa isa : kAllIsas) {
    if (isa_supported(isa)) isas.push_back(isa);
  }
  return isas;
}

Result<std::unique_ptr<Runner>> Runner::create(const GoldenFile& file, const RunOptions& options) {
  std::unique_ptr<Runner> runner(new Runner(options.threads));
  TRIBAR_RETURN_IF_ERROR(runner->load(file, options));
  return runner;
}

Status Runner::load(const GoldenFile& file, const RunOptions& options) {
  TRIBAR_ASSIGN_OR_RETURN(model::ModelGraph model, model::build_model(file.source()));
  info_ = model.info;
  graph::PipelineOptions pipeline;
  pipeline.level = options.optimisation_level;
  pipeline.quantize_activations = [&](const graph::WeightSpec& weight) {
    return kernel::find_linear(options.isa, weight.dtype, options.precision)->activation == DType::kQ8Act;
  };
  TRIBAR_ASSIGN_OR_RETURN(const graph::PipelineReport report, graph::optimize(&model.graph, pipeline));

  runtime::WeightStoreOptions store;
  store.isa = options.isa;
  store.precision = options.precision;
  store.source = [&](const std::string& name) -> std::optional<runtime::SourceTensor> {
    const auto found = file.tensors().find(name);
    if (found == file.tensors().end()) return std::nullopt;
    const GoldenTensor& t = found->second;
    return runtime::SourceTensor{t.bytes, t.info.dtype, t.elements() / t.cols(), t.cols()};
  };
  TRIBAR_ASSIGN_OR_RETURN(weights_, runtime::WeightStore::load(model.graph, store, &team_));
  runtime::KvCacheOptions cache;
  cache.dtype = options.precision == kernel::Precision::kExact ? DType::kF32 : DType::kF16;
  cache.block_tokens = kBlockTokens;
  cache.blocks = static_cast<int64_t>(kBlocks.size());
  TRIBAR_ASSIGN_OR_RETURN(cache_, runtime::KvCache::create(model.graph.kv_layers, cache));
  runtime::ExecutorOptions executor;
  executor.isa = options.isa;
  executor.mode = options.mode;
  executor.max_tokens = kMaxTokens;
  executor.max_logit_rows = kMaxTokens;
  TRIBAR_ASSIGN_OR_RETURN(
      executor_, runtime::Executor::create(std::move(model.graph), weights_.get(), cache_.get(), &team_, executor));
  return {};
}

Result<Rows> Runner::step(std::span<const int32_t> ids, int64_t start, int64_t rope_length) {
  const std::span<const int32_t> fresh = ids.subspan(static_cast<size_t>(start));
  const auto count = static_cast<int64_t>(fresh.size());
  const size_t blocks = static_cast<size_t>((start + count + kBlockTokens - 1) / kBlockTokens);
  const runtime::SequenceSlice sequence{start, count, std::span(kBlocks).first(blocks), rope_length};
  std::vector<int32_t> wanted(fresh.size());
  std::iota(wanted.begin(), wanted.end(), 0);
  TRIBAR_ASSIGN_OR_RETURN(const runtime::Logits logits, executor_->run({fresh, {&sequence, 1}, wanted}));
  Rows rows;
  for (int64_t r = 0; r < count; ++r) rows.emplace_back(logits.row(r).begin(), logits.row(r).end());
  return rows;
}

Result<Rows> Runner::logits(std::span<const int32_t> ids, int64_t chunk) {
  const auto total = static_cast<int64_t>(ids.size());
  Rows all;
  for (int64_t start = 0; start < total;) {
    const int64_t end = chunk == 0 ? total : std::min(total, start + chunk);
    TRIBAR_ASSIGN_OR_RETURN(Rows rows, step(ids.first(static_cast<size_t>(end)), start, total));
    std::move(rows.begin(), rows.end(), std::back_inserter(all));
    start = end;
  }
  return all;
}

Result<std::vector<int32_t>> Runner::greedy(std::span<const int32_t> prompt, size_t count) {
  std::vector<int32_t> ids(prompt.begin(), prompt.end());
  int64_t computed = 0;
  while (ids.size() < prompt.size() + count) {
    const auto length = static_cast<int64_t>(ids.size());
    const bool crosses =
        info_.recompute_length > 0 && computed <= info_.recompute_length && length > info_.recompute_length;
    TRIBAR_ASSIGN_OR_RETURN(const Rows rows, step(ids, crosses ? 0 : computed, length));
    computed = length;
    const std::vector<float>& last = rows.back();
    ids.push_back(static_cast<int32_t>(std::max_element(last.begin(), last.end()) - last.begin()));
  }
  return std::vector<int32_t>(ids.begin() + static_cast<ptrdiff_t>(prompt.size()), ids.end());
}

double max_difference(const Rows& a, const Rows& b) {
  double most = a.size() == b.size() ? 0.0 : INFINITY;
  for (size_t r = 0; r < a.size() && r < b.size(); ++r) {
    for (size_t i = 0; i < a[r].size(); ++i) {
      const double difference = std::fabs(static_cast<double>(a[r][i]) - static_cast<double>(b[r][i]));
      if (!(difference <= most)) most = difference;  // a NaN stays
    }
  }
  return most;
}

double rms_difference(const Rows& a, const Rows& b) {
  Rows difference = a;
  for (size_t r = 0; r < a.size(); ++r) {
    for (size_t i = 0; i < a[r].size(); ++i) difference[r][i] -= b[r][i];
  }
  return rms(difference);
}

double rms(const Rows& rows) {
  double sum = 0;
  size_t count = 0;
  for (const std::vector<float>& row : rows) {
    for (const float x : row) sum += static_cast<double>(x) * static_cast<double>(x);
    count += row.size();
  }
  return std::sqrt(sum / static_cast<double>(count));
}

}  // namespace tribar::golden
