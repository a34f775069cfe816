// load_model: the composition root. Opens a model's files, builds and optimises its graph, packs its weights,
// reserves the KV cache and makes the tokenizer and chat template. Everything a command or the engine needs to run a
// model.
//
//   TRIBAR_ASSIGN_OR_RETURN(std::unique_ptr<LoadedModel> model, load_model("model.gguf", options));
//   model->tokenizer->encode(...); model->executor->run(...);
//
// Errors: as the modules report them, one line, with the file's name. kResourceExhausted when weights, cache and
// activations do not fit in memory, found out before any of it is allocated: the message says how much would be
// needed and which option lowers it.
// Threads: loading is one call; afterwards see each part.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/thread_team.h"
#include "format/model_files.h"
#include "graph/pipeline.h"
#include "model/model.h"
#include "runtime/activation_groups.h"
#include "runtime/executor.h"
#include "runtime/kv/kv_allocator.h"
#include "runtime/kv/kv_cache.h"
#include "runtime/linear_work.h"
#include "runtime/weight_store.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace tribar::engine {

struct LoadOptions {
  kernel::Precision precision = kernel::Precision::kFast;
  runtime::ExecutionMode mode = runtime::ExecutionMode::kPlanned;
  int threads = 0;                // 0: available_cpus()
  int64_t context_tokens = 0;     // KV capacity; 0: min(model's context, 4096)
  int64_t max_step_tokens = 512;  // largest prefill chunk
  int64_t max_logit_rows = 0;     // of one step; 0: as many as fit in 128 MiB, at most max_step_tokens
  // Columns that share a scale in quantised activations: 32 or 128 everywhere, or chosen for each layer.
  std::optional<int64_t> activation_group;
  std::optional<int64_t> prefetch_bytes;          // of weights, ahead of the arithmetic; measured if not given
  graph::PipelineOptions pipeline;                // quantize_activations is chosen here
  std::function<bool(double fraction)> progress;  // of packing; may be null; false cancels
};

struct LoadTimes {
  double open_seconds = 0, tokenizer_seconds = 0, graph_seconds = 0, pack_seconds = 0, calibrate_seconds = 0,
         total_seconds = 0;
};

struct LoadedModel {
  std::unique_ptr<format::ModelFiles> files;
  model::ModelInfo info;
  std::unique_ptr<text::Tokenizer> tokenizer;         // null for a model without one
  std::string chat_template_source;                   // empty if there is none
  std::unique_ptr<text::ChatTemplate> chat_template;  // null if there is none or it does not compile
  text::TemplateError chat_template_error;            // why not
  std::unique_ptr<ThreadTeam> team;
  std::unique_ptr<runtime::WeightStore> weights;
  std::unique_ptr<runtime::KvCache> kv_cache;
  std::unique_ptr<runtime::KvAllocator> kv_allocator;
  std::unique_ptr<runtime::Executor> executor;
  graph::PipelineReport pipeline_report;
  runtime::LinearWork linear_work;
  std::vector<runtime::ActivationGroup> activation_groups;  // empty where the kernels have one form only
  Isa isa = Isa::kReference;
  kernel::Precision precision = kernel::Precision::kFast;
  int64_t context_tokens = 0;  // most tokens that the cache holds
  int64_t max_step_tokens = 0;
  int64_t max_logit_rows = 0;
  LoadTimes times;
};

Result<std::unique_ptr<LoadedModel>> load_model(const std::string& path, const LoadOptions& options);

// Only what text commands need (tokenize, render): no weights are touched. `path` may also be a vocabulary-only GGUF
// or a tokenizer.json.
struct LoadedText {
  std::unique_ptr<text::Tokenizer> tokenizer;
  std::string chat_template_source;
};
Result<LoadedText> load_text(const std::string& path);

}  // namespace tribar::engine
