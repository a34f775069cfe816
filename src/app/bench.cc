// tribar bench: prefill and decode speed, measured and reported as llama-bench does.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/bench_table.h"
#include "app/commands.h"
#include "app/interrupt.h"
#include "app/machine_profile.h"
#include "app/model_options.h"
#include "app/number_list.h"
#include "app/phase_clock.h"
#include "app/progress_bar.h"
#include "app/top_tokens.h"
#include "base/cpu_topology.h"
#include "base/machine.h"
#include "base/stopwatch.h"
#include "engine/evaluator.h"
#include "engine/sampler/philox.h"
#include "kernel/prefetch.h"
#include "tensor/dtype.h"
#include "text/detokenizer.h"

namespace tribar::app {
namespace {

struct BenchOptions {
  ModelName name;
  std::string prompts = "512";
  std::string generations = "128";
  std::vector<std::string> pairs;  // "512,128": prefill and decode in one test
  std::string depths = "0";
  std::string threads = "0";
  int repetitions = 5;
  int64_t chunk = 512;
  PrecisionOptions precision;
  std::string prefetch = "auto";
  std::string output = "md";
  bool no_warmup = false;
  bool no_peaks = false;
  bool by_op = false;
};

struct Test {
  int64_t n_prompt = 0, n_gen = 0, n_depth = 0;
};

Result<std::vector<Test>> tests_of(const BenchOptions& options) {
  TRIBAR_ASSIGN_OR_RETURN(const std::vector<int64_t> depths, parse_number_list(options.depths));
  TRIBAR_ASSIGN_OR_RETURN(const std::vector<int64_t> prompts, parse_number_list(options.prompts));
  TRIBAR_ASSIGN_OR_RETURN(const std::vector<int64_t> generations, parse_number_list(options.generations));
  std::vector<Test> tests;
  for (int64_t depth : depths) {
    for (int64_t n : prompts) tests.push_back({n, 0, depth});
    for (int64_t n : generations) tests.push_back({0, n, depth});
    for (const std::string& text : options.pairs) {
      TRIBAR_ASSIGN_OR_RETURN(const std::vector<int64_t> pair, parse_number_list(text));
      if (pair.size() != 2) return invalid_argument("--pg takes two numbers, for example 512,128");
      tests.push_back({pair[0], pair[1], depth});
    }
  }
  std::erase_if(tests, [](const Test& t) { return t.n_prompt + t.n_gen == 0; });
  if (tests.empty()) return invalid_argument("nothing to measure: -p and -n are both 0");
  return tests;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// The type that most of the weights have: what a quantised file is named after.
std::string main_weight_type(const format::WeightIndex& weights) {
  std::map<DType, uint64_t> bytes;
  for (const auto& [name, entry] : weights.entries()) bytes[entry.dtype] += entry.bytes.size();
  const auto most =
      std::max_element(bytes.begin(), bytes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == bytes.end() ? "" : std::string(dtype_name(most->first));
}

BenchModel describe_model(const engine::LoadedModel& model, const std::string& path) {
  char parameters[32];
  const auto n = static_cast<double>(model.info.parameters);
  std::snprintf(parameters, sizeof parameters, n >= 1e9 ? "%.1fB" : "%.0fM", n >= 1e9 ? n / 1e9 : n / 1e6);
  return {.file = path,
          .type = model.info.family + " " + parameters + " " + main_weight_type(model.files->weights()),
          .size_bytes = model.files->weights().total_bytes(),
          .parameters = model.info.parameters,
          .backend = "CPU " + std::string(isa_name(model.isa)),
          .cpu = read_cpu_topology().name,
          .kv_type = std::string(dtype_name(model.kv_cache->options().dtype)),
          .activation_groups = model.activation_groups,
          .prefetch_bytes = kernel::prefetch_bytes()};
}

BenchCeilings ceilings_of(const engine::LoadedModel& model, const kernel::MachinePeaks& peaks) {
  const int threads = model.team->size();
  const auto gops = [&](std::string_view name) {
    const kernel::ComputePeak* peak = peaks.find(kernel::Arithmetic::kInt8, name);
    return peak == nullptr ? 0.0 : kernel::rate_at(*peak, peaks.threads, threads).best;
  };
  const kernel::Measured stream = peaks.stream_at(threads);
  const std::string_view name = kernel::int8_peak_name(model.isa);
  return {.stream_gbps = stream.best,
          .stream_median_gbps = stream.median,
          .int8_name = gops(name) > 0 ? std::string(name) : "",
          .int8_gops = gops(name),
          .amx_gops = gops("amx_int8"),
          .weight_bytes = model.linear_work.weight_bytes,
          .macs_per_token = model.linear_work.macs_per_token,
          .macs_per_logit_row = model.linear_work.macs_per_logit_row};
}

// The machine's peaks from the cache, measured now if they are not there; nullopt for --no-peaks, and when they cannot
// be had.
Result<std::optional<kernel::MachinePeaks>> bench_peaks(const BenchOptions& options) {
  if (options.no_peaks) return std::optional<kernel::MachinePeaks>();
  const Result<ProfileSource> source = machine_profile(
      read_machine(), {.message = "measuring this machine once, to print % of its peaks (--no-peaks leaves it out)"});
  if (!source.ok() && source.status().code() == StatusCode::kCancelled) return source.status();
  if (!source.ok()) {
    std::fprintf(stderr, "no peaks: %s\n", source.status().message().c_str());
    return std::optional<kernel::MachinePeaks>();
  }
  if (was_disturbed(source->profile)) {
    std::fputs("the machine was busy when its peaks were measured; 'tribar doctor --refresh' measures again\n", stderr);
  }
  return std::optional(source->profile.peaks);
}

// Runs tests on one loaded model. Only the model's own work is timed for the result; choosing and detokenising the
// tokens of a decode test is done too, and accounted for in the clock.
class Bench {
 public:
  Bench(engine::LoadedModel* model, int64_t chunk, PhaseClock* clock)
      : model_(model), evaluator_(model, {.chunk_tokens = chunk}), clock_(clock) {}

  void start_profile() { model_->executor->set_profiling(true); }
  runtime::OpProfile take_profile() {
    runtime::OpProfile profile = model_->executor->profile();
    model_->executor->set_profiling(false);
    return profile;
  }

  // Microseconds of one repetition.
  Result<double> measure(const Test& test) {
    evaluator_.reset();
    double us = 0;
    if (test.n_depth > 0) TRIBAR_RETURN_IF_ERROR(prefill(test.n_depth, &us));
    us = 0;
    if (test.n_prompt > 0) TRIBAR_RETURN_IF_ERROR(prefill(test.n_prompt, &us));
    if (test.n_gen > 0) TRIBAR_RETURN_IF_ERROR(decode(test.n_gen, &us));
    return us;
  }

 private:
  Status prefill(int64_t tokens, double* us) {
    clock_->enter(Phase::kTokenise);
    std::vector<int32_t> ids;
    ids.reserve(static_cast<size_t>(tokens));
    for (int64_t i = 0; i < tokens; ++i) ids.push_back(random_token(static_cast<uint64_t>(evaluator_.length() + i)));
    clock_->add_tokens(Phase::kTokenise, tokens);
    clock_->enter(Phase::kPrefill);
    clock_->add_tokens(Phase::kPrefill, tokens);
    const Stopwatch watch;
    TRIBAR_RETURN_IF_ERROR(evaluator_.append(ids, engine::WantLogits::kLast, [](int64_t, std::span<const float>) {}));
    *us += watch.elapsed_us();
    return {};
  }

  Status decode(int64_t tokens, double* us) {
    text::StreamDecoder decoder(model_->tokenizer.get(), {});
    int32_t token = random_token(static_cast<uint64_t>(evaluator_.length()));
    for (int64_t i = 0; i < tokens; ++i) {
      clock_->enter(Phase::kDecode);
      double sample_us = 0;
      const auto choose = [&](int64_t, std::span<const float> logits) {
        const Stopwatch watch;
        token = best_token(logits);
        sample_us += watch.elapsed_us();
      };
      const Stopwatch watch;
      TRIBAR_RETURN_IF_ERROR(evaluator_.append({&token, 1}, engine::WantLogits::kLast, choose));
      *us += watch.elapsed_us() - sample_us;
      clock_->move(Phase::kDecode, Phase::kSample, sample_us);
      clock_->enter(Phase::kDetokenise);
      if (model_->tokenizer != nullptr) decoder.push(token);
      for (Phase phase : {Phase::kDecode, Phase::kSample, Phase::kDetokenise}) clock_->add_tokens(phase, 1);
      if (interrupted()) return interrupted_status();
    }
    return {};
  }

  int32_t random_token(uint64_t n) const {
    return static_cast<int32_t>(engine::uniform(0, n) * static_cast<double>(model_->info.vocab_size));
  }

  engine::LoadedModel* model_;
  engine::Evaluator evaluator_;
  PhaseClock* clock_;
};

struct BenchReport {
  BenchModel model;
  std::vector<BenchResult> results;
};

class BenchSession {
 public:
  BenchSession(const BenchOptions& options, std::vector<Test> tests, size_t thread_counts, PhaseClock* clock)
      : options_(options), tests_(std::move(tests)), clock_(clock) {
    repetitions_left_ = total_ = static_cast<double>(thread_counts * tests_.size()) * options.repetitions;
  }

  Status run_with_threads(int threads, BenchReport* report) {
    clock_->enter(Phase::kLoad);
    ModelOptions wanted{
        .name = options_.name, .threads = threads, .precision = options_.precision, .prefetch = options_.prefetch};
    engine::LoadOptions load = load_options(wanted);
    for (const Test& t : tests_) load.context_tokens = std::max(load.context_tokens, t.n_depth + t.n_prompt + t.n_gen);
    load.max_step_tokens = std::min(options_.chunk, load.context_tokens);
    load.max_logit_rows = 1;
    TRIBAR_ASSIGN_OR_RETURN(const std::unique_ptr<engine::LoadedModel> model, open_model(options_.name, load));
    report->model = describe_model(*model, options_.name.model);
    Bench bench(model.get(), load.max_step_tokens, clock_);
    TRIBAR_RETURN_IF_ERROR(find_ceilings(*model));
    for (const Test& test : tests_) TRIBAR_RETURN_IF_ERROR(repeat(test, &bench, model->team->size(), report));
    return {};
  }

 private:
  // Once a model could be loaded: nobody waits for a measurement to be told of a misspelt name.
  Status find_ceilings(const engine::LoadedModel& model) {
    if (!asked_for_peaks_) {
      TRIBAR_ASSIGN_OR_RETURN(peaks_, bench_peaks(options_));
    }
    asked_for_peaks_ = true;
    if (peaks_) ceilings_ = ceilings_of(model, *peaks_);
    return {};
  }

  Status repeat(const Test& test, Bench* bench, int threads, BenchReport* report) {
    BenchResult result{.threads = threads,
                       .n_prompt = test.n_prompt,
                       .n_gen = test.n_gen,
                       .n_depth = test.n_depth,
                       .chunk = options_.chunk,
                       .time = utc_now(),
                       .samples_us = {},
                       .ceilings = ceilings_};
    // One short run, so that pages and caches are warm, as llama-bench does.
    if (!options_.no_warmup) {
      const Test warmup{std::min<int64_t>(test.n_prompt, options_.chunk), std::min<int64_t>(test.n_gen, 1), 0};
      TRIBAR_RETURN_IF_ERROR(bench->measure(warmup).status());
    }
    if (options_.by_op) bench->start_profile();
    for (int i = 0; i < options_.repetitions; ++i) {
      TRIBAR_ASSIGN_OR_RETURN(const double us, bench->measure(test));
      result.samples_us.push_back(us);
      if (interrupted()) return interrupted_status();
      --repetitions_left_;
      bar_.update(1 - repetitions_left_ / total_, test_name(result));
    }
    if (options_.by_op) result.profile = bench->take_profile();
    report->results.push_back(std::move(result));
    return {};
  }

  const BenchOptions& options_;
  std::vector<Test> tests_;
  PhaseClock* clock_;
  bool asked_for_peaks_ = false;
  std::optional<kernel::MachinePeaks> peaks_;
  std::optional<BenchCeilings> ceilings_;  // with the threads of now
  ProgressBar bar_{"bench"};
  double total_, repetitions_left_;
};

Status bench(const BenchOptions& options) {
  PhaseClock clock(PhaseClock::Start::kProcess);
  InterruptScope interrupt;
  TRIBAR_ASSIGN_OR_RETURN(std::vector<Test> tests, tests_of(options));
  TRIBAR_ASSIGN_OR_RETURN(const std::vector<int64_t> threads, parse_number_list(options.threads));
  BenchReport report;
  {
    BenchSession session(options, std::move(tests), threads.size(), &clock);
    for (int64_t n : threads) {
      if (n > 1024) return invalid_argument("-t " + std::to_string(n) + " is more than 1024 threads");
      TRIBAR_RETURN_IF_ERROR(session.run_with_threads(static_cast<int>(n), &report));
    }
  }
  clock.stop();
  const auto write = options.output == "json" ? bench_json : options.output == "csv" ? bench_csv : bench_markdown;
  std::fputs(write(report.model, report.results).c_str(), stdout);
  std::fflush(stdout);
  std::fputc('\n', stderr);
  print_phases(stderr, clock);
  return {};
}

}  // namespace

Command add_bench(CLI::App* root) {
  auto o = std::make_shared<BenchOptions>();
  CLI::App* parser = add_parser(root, "bench", "Measure prefill and decode speed",
                                "  tribar bench model.gguf\n"
                                "  tribar bench model.gguf -p 128,512 -n 64 -t 1,2 -r 3\n"
                                "  tribar bench model.gguf -p 0 -n 32 -d 0,1024 -o json\n"
                                "  tribar bench model.gguf -p 512 -n 32 --by-op\n"
                                "Lists are comma-separated and may hold ranges: 0-4096+1024, 64-512*2.\n");
  add_model_name(parser, &o->name);
  const auto add = [&](const char* names, auto& value, const char* type, const char* text) {
    return parser->add_option(names, value, text)->type_name(type)->capture_default_str();
  };
  add("-p,--n-prompt", o->prompts, "LIST", "Tokens of a prefill test; 0: none");
  add("-n,--n-gen", o->generations, "LIST", "Tokens of a decode test; 0: none");
  parser->add_option("--pg", o->pairs, "A test that prefills PP tokens and then decodes TG")
      ->type_name("PP,TG")
      ->allow_extra_args(false);
  add("-d,--n-depth", o->depths, "LIST", "Tokens in the cache before a test begins");
  add("-t,--threads", o->threads, "LIST", "Threads; 0 takes all that this process may use");
  add("-r,--repetitions", o->repetitions, "N", "How often each test runs")->check(CLI::Range(1, 10000));
  add("-u,--ubatch", o->chunk, "N", "Tokens of a prefill chunk")->check(CLI::Range(int64_t{1}, int64_t{1} << 16));
  add("-o,--output", o->output, "FORMAT", "md, json or csv")->check(CLI::IsMember({"md", "json", "csv"}));
  add_precision_options(parser, &o->precision);
  add_prefetch_option(parser, &o->prefetch);
  parser->add_flag("--no-peaks", o->no_peaks, "Leave out % of the machine's peaks, and do not measure them");
  parser->add_flag("--by-op", o->by_op,
                   "Show where the time went, by kind of operator, against the machine's peaks (a test with -d counts "
                   "the tokens before it too)");
  parser->add_flag("--no-warmup", o->no_warmup, "Do not run each test once before it is timed");
  return {parser, [o] { return bench(*o); }};
}

}  // namespace tribar::app
