#include "engine/loaded_model.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include "base/available_cpus.h"
#include "base/available_memory.h"
#include "base/checked_int.h"
#include "base/mapped_file.h"
#include "base/stopwatch.h"
#include "engine/calibration.h"
#include "engine/tokenizer_source.h"
#include "graph/memory_plan.h"
#include "kernel/prefetch.h"
#include "runtime/tune_prefetch.h"

namespace tribar::engine {
namespace {

constexpr int64_t kDefaultContextTokens = 4096;
constexpr int64_t kBlockTokens = 32;
constexpr int64_t kCalibrationTokens = 64;
constexpr int64_t kDefaultLogitBytes = int64_t{128} << 20;

// The file's tensors as model/ sees them: names, types and shapes.
class FileCatalog final : public model::TensorCatalog {
 public:
  explicit FileCatalog(const format::WeightIndex& index) {
    for (const auto& [name, entry] : index.entries()) tensors_[name] = {entry.dtype, entry.shape};
  }
  const model::TensorInfo* find(std::string_view name) const override {
    const auto it = tensors_.find(name);
    return it == tensors_.end() ? nullptr : &it->second;
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, info] : tensors_) names.push_back(name);
    return names;
  }

 private:
  std::map<std::string, model::TensorInfo, std::less<>> tensors_;
};

std::string gibibytes(uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f GiB", static_cast<double>(bytes) / (uint64_t{1} << 30));
  return text;
}

// Makes a LoadedModel part by part; each step uses what the ones before made.
class Loader {
 public:
  Loader(const std::string& path, const LoadOptions& options) : path_(path), options_(options) {}

  Result<std::unique_ptr<LoadedModel>> load() {
    Stopwatch total;
    Stopwatch phase;
    TRIBAR_ASSIGN_OR_RETURN(m_->files, format::open_model_files(path_));
    m_->times.open_seconds = phase.lap_us() * 1e-6;
    TRIBAR_RETURN_IF_ERROR(named(load_text()));
    m_->times.tokenizer_seconds = phase.lap_us() * 1e-6;
    TRIBAR_RETURN_IF_ERROR(named(build_graph()));
    m_->times.graph_seconds = phase.lap_us() * 1e-6;
    TRIBAR_RETURN_IF_ERROR(named(check_memory()));
    TRIBAR_RETURN_IF_ERROR(named(load_weights()));
    m_->times.pack_seconds = phase.lap_us() * 1e-6;
    TRIBAR_RETURN_IF_ERROR(named(choose_activation_groups()));
    kernel::set_prefetch_bytes(options_.prefetch_bytes ? *options_.prefetch_bytes
                                                       : runtime::tune_prefetch(graph_, *m_->weights, m_->team.get()));
    m_->times.calibrate_seconds = phase.lap_us() * 1e-6;
    TRIBAR_RETURN_IF_ERROR(named(make_executor()));
    m_->times.total_seconds = total.elapsed_us() * 1e-6;
    return std::move(m_);
  }

 private:
  Status named(const Status& status) const { return status.with_context(path_); }

  Status load_text() {
    Result<text::TokenizerSource> source = tokenizer_source(*m_->files);
    if (!source.ok() && source.status().code() != StatusCode::kNotFound) return source.status();
    if (source.ok()) {
      TRIBAR_ASSIGN_OR_RETURN(m_->tokenizer, text::make_tokenizer(*source));
    }
    m_->chat_template_source = chat_template_source(*m_->files);
    if (m_->chat_template_source.empty()) return {};
    m_->chat_template = text::ChatTemplate::compile(m_->chat_template_source, &m_->chat_template_error);
    return {};
  }

  Status build_graph() {
    TRIBAR_ASSIGN_OR_RETURN(m_->isa, detect_isa());
    m_->precision = options_.precision;
    const FileCatalog catalog(m_->files->weights());
    const bool gguf = m_->files->container() == format::Container::kGguf;
    const model::ModelSource source{&m_->files->metadata(),
                                    gguf ? model::NameStyle::kGguf : model::NameStyle::kHuggingFace, &catalog};
    TRIBAR_ASSIGN_OR_RETURN(model::ModelGraph built, model::build_model(source));
    m_->info = std::move(built.info);
    graph_ = std::move(built.graph);

    graph::PipelineOptions pipeline = options_.pipeline;
    pipeline.quantize_activations = [this](const graph::WeightSpec& weight) {
      const kernel::LinearKernel* kernel = kernel::find_linear(m_->isa, weight.dtype, m_->precision);
      return kernel != nullptr && kernel->activation == DType::kQ8Act;
    };
    TRIBAR_ASSIGN_OR_RETURN(m_->pipeline_report, graph::optimize(&graph_, pipeline));
    choose_limits();
    return {};
  }

  void choose_limits() {
    const int64_t trained = std::max<int64_t>(m_->info.context_length, 1);
    int64_t context = options_.context_tokens > 0 ? options_.context_tokens : std::min(trained, kDefaultContextTokens);
    context = std::min<int64_t>(context, INT32_MAX - kBlockTokens);
    const int64_t blocks = (context + kBlockTokens - 1) / kBlockTokens;
    kv_options_ = {m_->precision == kernel::Precision::kExact ? DType::kF32 : DType::kF16, kBlockTokens, blocks};
    m_->context_tokens = context;
    m_->max_step_tokens = std::clamp<int64_t>(options_.max_step_tokens, 1, context);
    const int64_t row_bytes = std::max<int64_t>(m_->info.vocab_size, 1) * static_cast<int64_t>(sizeof(float));
    const int64_t rows = options_.max_logit_rows > 0 ? options_.max_logit_rows : kDefaultLogitBytes / row_bytes;
    m_->max_logit_rows = std::clamp<int64_t>(rows, 1, m_->max_step_tokens);
  }

  Status check_memory() {
    store_options_.isa = m_->isa;
    store_options_.precision = m_->precision;
    store_options_.source = [this](const std::string& name) { return find_source(name); };
    store_options_.drop_pages = [this](std::span<const std::byte> bytes) { m_->files->drop_pages(bytes); };
    store_options_.progress = options_.progress;
    TRIBAR_ASSIGN_OR_RETURN(const uint64_t weights, runtime::WeightStore::needed_bytes(graph_, store_options_));
    const std::optional<int64_t> block = runtime::KvCache::block_bytes(graph_.kv_layers, kv_options_);
    const std::optional<int64_t> cache = block ? checked_mul(*block, kv_options_.blocks) : std::nullopt;
    const graph::MemoryPlan plan = graph::plan_memory(graph_, {m_->max_step_tokens, m_->max_logit_rows});
    const auto activations = static_cast<uint64_t>(plan.planned_bytes);
    const uint64_t available = available_memory_bytes();
    std::optional<uint64_t> needed = checked_add(weights, activations);
    if (needed && cache) needed = checked_add(*needed, static_cast<uint64_t>(*cache));
    if (needed && cache && *needed <= available) return {};
    const std::string cache_text = cache ? gibibytes(static_cast<uint64_t>(*cache)) : "more than there is memory";
    return resource_exhausted("needs " + gibibytes(weights) + " for weights, " + cache_text + " for a KV cache of " +
                              std::to_string(m_->context_tokens) + " tokens and " + gibibytes(activations) +
                              " for activations, but " + gibibytes(available) +
                              " of memory are available; --ctx N makes the cache smaller");
  }

  std::optional<runtime::SourceTensor> find_source(const std::string& name) const {
    const format::TensorEntry* entry = m_->files->weights().find(name);
    if (entry == nullptr) return std::nullopt;
    return runtime::SourceTensor{entry->bytes, entry->dtype, entry->rows(), entry->cols()};
  }

  Status load_weights() {
    m_->team = std::make_unique<ThreadTeam>(options_.threads > 0 ? options_.threads : available_cpus());
    TRIBAR_ASSIGN_OR_RETURN(m_->weights, runtime::WeightStore::load(graph_, store_options_, m_->team.get()));
    m_->linear_work = runtime::linear_work(graph_, *m_->weights);
    TRIBAR_ASSIGN_OR_RETURN(m_->kv_cache, runtime::KvCache::create(graph_.kv_layers, kv_options_));
    m_->kv_allocator = runtime::make_block_pool(kv_options_.blocks, kv_options_.block_tokens);
    return {};
  }

  Status choose_activation_groups() {
    if (options_.activation_group) {
      m_->activation_groups = runtime::set_activation_groups(&graph_, *m_->weights, *options_.activation_group);
      return {};
    }
    const runtime::CalibrationRun run{m_->weights.get(), m_->kv_cache.get(), m_->team.get(), m_->isa};
    const int64_t most = std::min(m_->context_tokens, kCalibrationTokens);
    TRIBAR_ASSIGN_OR_RETURN(m_->activation_groups,
                            runtime::choose_activation_groups(
                                &graph_, run, calibration_ids(m_->tokenizer.get(), m_->info.vocab_size, most)));
    return {};
  }

  Status make_executor() {
    const runtime::ExecutorOptions executor{m_->isa, options_.mode, m_->max_step_tokens, m_->max_logit_rows};
    TRIBAR_ASSIGN_OR_RETURN(m_->executor, runtime::Executor::create(std::move(graph_), m_->weights.get(),
                                                                    m_->kv_cache.get(), m_->team.get(), executor));
    return {};
  }

  const std::string& path_;
  const LoadOptions& options_;
  std::unique_ptr<LoadedModel> m_ = std::make_unique<LoadedModel>();
  graph::Graph graph_;
  runtime::KvCacheOptions kv_options_;
  runtime::WeightStoreOptions store_options_;
};

Status out_of_memory(const std::string& path) { return resource_exhausted(path + ": not enough memory to load it"); }

constexpr size_t kMaxTokenizerFileBytes = size_t{256} << 20;

Result<LoadedText> load_tokenizer_json(const std::string& path) {
  text::TokenizerSource source;
  TRIBAR_ASSIGN_OR_RETURN(source.tokenizer_json, read_text_file(path, kMaxTokenizerFileBytes));
  const size_t slash = path.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  Result<std::string> config = read_text_file(folder + "tokenizer_config.json", kMaxTokenizerFileBytes);
  if (config.ok()) source.tokenizer_config_json = std::move(*config);
  LoadedText text;
  text.chat_template_source = chat_template_of_config(source.tokenizer_config_json);
  TRIBAR_ASSIGN_OR_RETURN(text.tokenizer, text::make_tokenizer(source));
  return text;
}

Result<LoadedText> load_text_unguarded(const std::string& path) {
  if (path.ends_with(".json")) return load_tokenizer_json(path);
  TRIBAR_ASSIGN_OR_RETURN(const std::unique_ptr<format::ModelFiles> files, format::open_model_files(path));
  TRIBAR_ASSIGN_OR_RETURN(text::TokenizerSource source, tokenizer_source(*files));
  LoadedText text;
  text.chat_template_source = chat_template_source(*files);
  TRIBAR_ASSIGN_OR_RETURN(text.tokenizer, text::make_tokenizer(source));
  return text;
}

}  // namespace

// The standard library's containers throw when memory ends; nothing of that leaves a module.
Result<std::unique_ptr<LoadedModel>> load_model(const std::string& path, const LoadOptions& options) {
  try {
    return Loader(path, options).load();
  } catch (const std::bad_alloc&) {
    return out_of_memory(path);
  }
}

Result<LoadedText> load_text(const std::string& path) {
  try {
    Result<LoadedText> text = load_text_unguarded(path);
    if (!text.ok() && text.status().message().find(path) == std::string::npos) return text.status().with_context(path);
    return text;
  } catch (const std::bad_alloc&) {
    return out_of_memory(path);
  }
}

}  // namespace tribar::engine
