// tribar perplexity: how well a model predicts a text, window by window.
#include "app/perplexity.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/json_writer.h"
#include "app/model_options.h"
#include "app/progress_bar.h"
#include "app/prompt.h"
#include "app/text_input.h"
#include "app/top_tokens.h"
#include "engine/evaluator.h"

namespace tribar::app {
namespace {

constexpr int64_t kChunk = 128;  // every scored token needs a row of logits
constexpr int kDigits = 9;

struct PerplexityOptions {
  ModelName name;
  std::string file;
  int threads = 0;
  int64_t ctx = 512;
  int64_t windows = 0;
  PrecisionOptions precision;
  bool compare_fp32 = false;
  bool json = false;
};

struct Report {
  PerplexitySum sum;
  std::vector<double> running;
  std::optional<PerplexitySum> fp32;  // with --compare-fp32
  int64_t same_best = 0;              // scored positions whose most probable token is that of fp32
  int64_t tokens = 0;                 // of the whole text
};

// One model in one precision; scores windows of the text.
class Scorer {
 public:
  static Result<Scorer> load(const PerplexityOptions& options, const PrecisionOptions& precision) {
    engine::LoadOptions load = load_options({.name = {}, .threads = options.threads, .precision = precision});
    load.context_tokens = options.ctx;
    load.max_step_tokens = std::min(kChunk, options.ctx);
    load.max_logit_rows = load.max_step_tokens;
    TRIBAR_ASSIGN_OR_RETURN(std::unique_ptr<engine::LoadedModel> model, open_model(options.name, load));
    return Scorer(std::move(model), load.max_step_tokens);
  }

  const engine::LoadedModel& model() const { return *model_; }

  // Adds the window's scored tokens to `sum` and the most probable token at each of them to `best`.
  Status score(std::vector<int32_t> window, PerplexitySum* sum, std::vector<int32_t>* best) {
    const text::Tokenizer& tokenizer = *model_->tokenizer;
    if (tokenizer.adds_bos() && tokenizer.bos()) window.front() = *tokenizer.bos();
    const auto first = static_cast<size_t>(first_scored(static_cast<int64_t>(window.size())));
    bool finite = true;
    const auto take = [&](int64_t position, std::span<const float> logits) {
      finite = finite && all_finite(logits);
      sum->add(negative_log_likelihood(logits, window[static_cast<size_t>(position) + 1]));
      best->push_back(best_token(logits));
    };
    const std::span<const int32_t> all(window);
    evaluator_->reset();
    TRIBAR_RETURN_IF_ERROR(evaluator_->append(all.first(first), engine::WantLogits::kNone, nullptr));
    // The last token of the window predicts nothing that is scored.
    TRIBAR_RETURN_IF_ERROR(
        evaluator_->append(all.subspan(first, all.size() - 1 - first), engine::WantLogits::kAll, take));
    return finite ? Status{} : data_loss("the model produced logits that are not finite numbers");
  }

 private:
  Scorer(std::unique_ptr<engine::LoadedModel> model, int64_t chunk)
      : model_(std::move(model)),
        evaluator_(std::make_unique<engine::Evaluator>(model_.get(), engine::Evaluator::Options{chunk})) {}

  std::unique_ptr<engine::LoadedModel> model_;
  std::unique_ptr<engine::Evaluator> evaluator_;
};

Result<Report> measure(const PerplexityOptions& options) {
  TRIBAR_ASSIGN_OR_RETURN(const std::string text, read_text(options.file));
  TRIBAR_ASSIGN_OR_RETURN(Scorer scorer, Scorer::load(options, options.precision));
  std::optional<Scorer> exact;
  if (options.compare_fp32) {
    TRIBAR_ASSIGN_OR_RETURN(exact, Scorer::load(options, {.precision = "fp32"}));
  }
  TRIBAR_ASSIGN_OR_RETURN(const std::vector<int32_t> ids, encode_text(scorer.model(), text, SpecialText::kPlain));
  Report report;
  report.tokens = static_cast<int64_t>(ids.size());
  int64_t windows = report.tokens / options.ctx;
  if (windows == 0) {
    return invalid_argument("the text has " + std::to_string(report.tokens) + " tokens, less than one window of " +
                            std::to_string(options.ctx));
  }
  if (options.windows > 0) windows = std::min(windows, options.windows);
  if (exact) report.fp32.emplace();

  ProgressBar bar("perplexity");
  for (int64_t w = 0; w < windows; ++w) {
    const auto begin = ids.begin() + w * options.ctx;
    const std::vector<int32_t> window(begin, begin + options.ctx);
    std::vector<int32_t> best, exact_best;
    TRIBAR_RETURN_IF_ERROR(scorer.score(window, &report.sum, &best));
    if (exact) TRIBAR_RETURN_IF_ERROR(exact->score(window, &*report.fp32, &exact_best));
    for (size_t i = 0; i < exact_best.size(); ++i) report.same_best += best[i] == exact_best[i] ? 1 : 0;
    report.running.push_back(report.sum.perplexity());
    if (interrupted()) return interrupted_status();
    char note[32];
    std::snprintf(note, sizeof note, "ppl %.4f", report.running.back());
    bar.update(static_cast<double>(w + 1) / static_cast<double>(windows), note);
  }
  return report;
}

double agreement(const Report& report) {
  return static_cast<double>(report.same_best) / static_cast<double>(report.sum.count());
}

std::string to_json(const Report& report, const PerplexityOptions& options) {
  JsonWriter json;
  json.begin_object().key("ppl").number(report.sum.perplexity(), kDigits);
  json.key("stderr").number(report.sum.standard_error(), kDigits);
  json.key("ctx").integer(options.ctx).key("windows").integer(static_cast<int64_t>(report.running.size()));
  json.key("tokens").integer(report.tokens).key("scored_tokens").integer(report.sum.count());
  json.key("precision").string(options.precision.precision).key("running").begin_array();
  for (double ppl : report.running) json.number(ppl, kDigits);
  json.end_array();
  if (report.fp32) {
    json.key("ppl_fp32").number(report.fp32->perplexity(), kDigits);
    json.key("top1_agreement").number(agreement(report), kDigits);
  }
  json.end_object();
  return json.text();
}

Status perplexity(const PerplexityOptions& options) {
  InterruptScope interrupt;
  TRIBAR_ASSIGN_OR_RETURN(const Report report, measure(options));
  if (options.json) {
    std::printf("%s\n", to_json(report, options).c_str());
    return {};
  }
  std::printf("perplexity %.4f +/- %.4f (%zu windows of %lld tokens, %lld scored, %s)\n", report.sum.perplexity(),
              report.sum.standard_error(), report.running.size(), static_cast<long long>(options.ctx),
              static_cast<long long>(report.sum.count()), options.precision.precision.c_str());
  if (report.fp32) {
    std::printf("fp32 %.4f, same most probable token at %.2f %% of the positions\n", report.fp32->perplexity(),
                100 * agreement(report));
  }
  return {};
}

}  // namespace

Command add_perplexity(CLI::App* root) {
  auto options = std::make_shared<PerplexityOptions>();
  CLI::App* parser = add_parser(root, "perplexity", "Measure how well a model predicts a text",
                                "  tribar perplexity model.gguf -f english.txt\n"
                                "  tribar perplexity model.gguf -f english.txt --windows 32 --precision fp32 --json\n"
                                "  tribar perplexity model.gguf -f english.txt --windows 8 --compare-fp32\n");
  add_model_name(parser, &options->name);
  parser->add_option("-f,--file", options->file, "The text")->required()->type_name("FILE");
  parser->add_option("-t,--threads", options->threads, "Threads; 0 takes all that this process may use")
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
  parser->add_option("-c,--ctx", options->ctx, "Tokens of a window, of which the second half is scored")
      ->check(CLI::Range(int64_t{4}, int64_t{1} << 24))
      ->type_name("N")
      ->capture_default_str();
  parser->add_option("--windows", options->windows, "Windows to compute; 0: all of the text")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40))
      ->type_name("N");
  add_precision_options(parser, &options->precision);
  parser->add_flag("--compare-fp32", options->compare_fp32,
                   "Also compute in fp32 and report how often both find the same token most probable");
  parser->add_flag("--json", options->json, "Write one JSON object, with the running value after each window");
  return {parser, [options] { return perplexity(*options); }};
}

}  // namespace tribar::app
