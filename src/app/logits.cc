// tribar logits: the model's raw output for given token ids. What tests and other tools compare.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/json_writer.h"
#include "app/model_options.h"
#include "app/token_list.h"
#include "app/top_tokens.h"
#include "engine/evaluator.h"

namespace tribar::app {
namespace {

// Enough for a float to survive the round trip.
constexpr int kDigits = 9;
constexpr int64_t kDefaultChunk = 512;
constexpr int64_t kDefaultChunkWithTop = 64;  // every token of a chunk needs a row of logits then

struct LogitsOptions {
  ModelOptions model;
  std::string ids;
  int64_t greedy = 0;
  int64_t top = 0;
  int64_t chunk = 0;
  bool json = false;
};

struct LogitsOutput {
  std::vector<float> logits;   // of the last of the given tokens
  std::vector<TopTokens> top;  // one a position, if asked for
  std::vector<int32_t> greedy;
};

// Computes everything that was asked for; a row that is not finite is an error.
class LogitsRun {
 public:
  LogitsRun(engine::LoadedModel* model, const LogitsOptions& options, int64_t chunk)
      : options_(options), evaluator_(model, {.chunk_tokens = chunk}) {}

  Result<LogitsOutput> run(const std::vector<int32_t>& ids) {
    const auto last = static_cast<int64_t>(ids.size()) - 1;
    const engine::WantLogits want = options_.top > 0 ? engine::WantLogits::kAll : engine::WantLogits::kLast;
    TRIBAR_RETURN_IF_ERROR(evaluator_.append(ids, want, [&](int64_t position, std::span<const float> row) {
      finite_ = finite_ && all_finite(row);
      if (options_.top > 0) output_.top.push_back(top_tokens(row, options_.top));
      if (position == last) output_.logits.assign(row.begin(), row.end());
    }));
    TRIBAR_RETURN_IF_ERROR(check_finite());
    TRIBAR_RETURN_IF_ERROR(decode());
    return std::move(output_);
  }

 private:
  // Exactly as many tokens as asked for: the end token does not end anything here.
  Status decode() {
    int32_t next = best_token(output_.logits);
    for (int64_t n = 0; n < options_.greedy; ++n) {
      output_.greedy.push_back(next);
      if (n + 1 == options_.greedy) break;
      if (interrupted()) return interrupted_status();
      TRIBAR_RETURN_IF_ERROR(
          evaluator_.append({&next, 1}, engine::WantLogits::kLast, [&](int64_t, std::span<const float> row) {
            finite_ = all_finite(row);
            next = best_token(row);
          }));
      TRIBAR_RETURN_IF_ERROR(check_finite());
    }
    return {};
  }

  Status check_finite() const {
    return finite_ ? Status{} : data_loss("the model produced logits that are not finite numbers");
  }

  const LogitsOptions& options_;
  engine::Evaluator evaluator_;
  LogitsOutput output_;
  bool finite_ = true;
};

std::string to_json(const LogitsOutput& output) {
  JsonWriter json;
  json.begin_object().key("logits").begin_array();
  for (float logit : output.logits) json.number(static_cast<double>(logit), kDigits);
  json.end_array().key("top").begin_array();
  for (const TopTokens& position : output.top) {
    json.begin_array();
    for (const auto& [id, logit] : position) {
      json.begin_array().integer(id).number(static_cast<double>(logit), kDigits).end_array();
    }
    json.end_array();
  }
  json.end_array().key("greedy").begin_array();
  for (int32_t id : output.greedy) json.integer(id);
  json.end_array().end_object();
  return json.text();
}

void print_table(const LogitsOutput& output) {
  for (size_t i = 0; i < output.top.size(); ++i) {
    std::printf("position %zu:", i);
    for (const auto& [id, logit] : output.top[i]) std::printf("  %d %.9g", id, static_cast<double>(logit));
    std::printf("\n");
  }
  if (output.top.empty()) {
    for (size_t id = 0; id < output.logits.size(); ++id) {
      std::printf("%zu %.9g\n", id, static_cast<double>(output.logits[id]));
    }
  }
  if (!output.greedy.empty()) std::printf("greedy:");
  for (int32_t id : output.greedy) std::printf(" %d", id);
  if (!output.greedy.empty()) std::printf("\n");
}

Status logits(const LogitsOptions& options) {
  InterruptScope interrupt;
  TRIBAR_ASSIGN_OR_RETURN(const std::vector<int32_t> ids, parse_token_list(options.ids));
  const auto tokens = static_cast<int64_t>(ids.size());
  int64_t chunk = options.chunk > 0 ? options.chunk : (options.top > 0 ? kDefaultChunkWithTop : kDefaultChunk);
  chunk = std::min(chunk, tokens);

  engine::LoadOptions load = load_options(options.model);
  if (load.context_tokens == 0) load.context_tokens = tokens + options.greedy;
  load.max_step_tokens = chunk;
  load.max_logit_rows = options.top > 0 ? chunk : 1;
  TRIBAR_ASSIGN_OR_RETURN(const std::unique_ptr<engine::LoadedModel> model, open_model(options.model.name, load));
  TRIBAR_ASSIGN_OR_RETURN(const LogitsOutput output, LogitsRun(model.get(), options, chunk).run(ids));
  if (options.json) {
    std::printf("%s\n", to_json(output).c_str());
  } else {
    print_table(output);
  }
  return {};
}

}  // namespace

Command add_logits(CLI::App* root) {
  auto options = std::make_shared<LogitsOptions>();
  CLI::App* parser = add_parser(root, "logits", "Show the logits that a model gives to token ids",
                                "  tribar logits model.gguf --ids 1,2,3 --json\n"
                                "  tribar logits model.gguf --ids 1,2,3 --greedy 16 --top 5 --precision fp32 --json\n");
  add_model_options(parser, &options->model);
  parser->add_option("--ids", options->ids, "Token ids, separated by commas")->required()->type_name("IDS");
  parser->add_option("--greedy", options->greedy, "Then generate exactly N tokens greedily")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 20))
      ->type_name("N");
  parser->add_option("--top", options->top, "List the K largest logits of every position")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 20))
      ->type_name("K");
  parser->add_option("--chunk", options->chunk, "Tokens computed at a time; the result does not depend on it")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 16))
      ->type_name("N");
  parser->add_flag("--json", options->json, "Write {\"logits\":[...],\"top\":[[[id,logit],...],...],\"greedy\":[...]}");
  return {parser, [options] { return logits(*options); }};
}

}  // namespace tribar::app
