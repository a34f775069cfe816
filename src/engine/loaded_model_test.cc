#include "engine/loaded_model.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>

#include "engine/evaluator.h"

namespace tribar::engine {
namespace {

namespace fs = std::filesystem;

const fs::path kModels = fs::path(TRIBAR_TEST_DATA) / "models";
const fs::path kTokenizers = fs::path(TRIBAR_TEST_DATA) / "tokenizer";

std::vector<float> all_logits(LoadedModel* model, int64_t chunk) {
  const std::vector<int32_t> ids = {5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};
  Evaluator e(model, {.chunk_tokens = chunk});
  std::vector<float> out;
  const Status status = e.append(ids, WantLogits::kAll, [&](int64_t, std::span<const float> row) {
    out.insert(out.end(), row.begin(), row.end());
  });
  EXPECT_TRUE(status.ok()) << status.message();
  return out;
}

std::unique_ptr<LoadedModel> load(const fs::path& path, const LoadOptions& options) {
  Result<std::unique_ptr<LoadedModel>> model = load_model(path.string(), options);
  EXPECT_TRUE(model.ok()) << model.status().message();
  return model.ok() ? std::move(*model) : nullptr;
}

TEST(LoadModel, ModesChunksAndThreadCountsGiveTheSameBits) {
  LoadOptions options;
  options.precision = kernel::Precision::kExact;
  options.threads = 1;
  const auto reference = load(kModels / "llama", options);
  ASSERT_NE(reference, nullptr);
  const std::vector<float> expected = all_logits(reference.get(), 1);
  ASSERT_EQ(expected.size(), 20u * static_cast<size_t>(reference->info.vocab_size));
  for (const int threads : {1, 2, 3}) {
    options.threads = threads;
    options.mode = threads == 2 ? runtime::ExecutionMode::kEager : runtime::ExecutionMode::kPlanned;
    const auto model = load(kModels / "llama", options);
    ASSERT_NE(model, nullptr);
    EXPECT_EQ(all_logits(model.get(), 7), expected) << threads;
    EXPECT_EQ(all_logits(model.get(), 0), expected) << threads;
  }
}

TEST(LoadModel, SwitchingPassesOffKeepsTheBits) {
  LoadOptions options;
  options.precision = kernel::Precision::kExact;
  const std::vector<float> expected = all_logits(load(kModels / "gemma3", options).get(), 0);
  for (const std::string_view pass : graph::pass_names()) {
    options.pipeline.disabled = {std::string(pass)};
    EXPECT_EQ(all_logits(load(kModels / "gemma3", options).get(), 0), expected) << pass;
  }
  options.pipeline.disabled.clear();
  options.pipeline.level = 0;
  EXPECT_EQ(all_logits(load(kModels / "gemma3", options).get(), 0), expected);
}

TEST(LoadModel, ReportsTimesAndLimits) {
  LoadOptions options;
  options.context_tokens = 100;
  options.max_step_tokens = 512;
  double last = 0;
  options.progress = [&](double fraction) {
    last = fraction;
    return true;
  };
  const auto model = load(kModels / "llama", options);
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(last, 1.0);
  EXPECT_EQ(model->context_tokens, 100);
  EXPECT_EQ(model->max_step_tokens, 100);
  EXPECT_EQ(model->kv_allocator->usage().total_blocks, 4);
  EXPECT_EQ(model->kv_cache->options().dtype, DType::kF16);
  const LoadTimes& t = model->times;
  EXPECT_NEAR(t.open_seconds + t.tokenizer_seconds + t.graph_seconds + t.pack_seconds + t.calibrate_seconds,
              t.total_seconds, 0.02 * t.total_seconds);
}

TEST(LoadModel, RefusesWhatDoesNotFitBeforeAllocating) {
  LoadOptions options;
  options.context_tokens = 2'000'000'000;
  const Status status = load_model((kModels / "llama").string(), options).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find("--ctx"), std::string::npos) << status.message();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 2'000'000) << "KiB";
}

TEST(LoadModel, CancelsOnRequestAndNamesTheFileInErrors) {
  LoadOptions options;
  options.progress = [](double) { return false; };
  const std::string path = (kModels / "llama").string();
  const Status cancelled = load_model(path, options).status();
  EXPECT_EQ(cancelled.code(), StatusCode::kCancelled);
  EXPECT_NE(cancelled.message().find(path), std::string::npos);
  EXPECT_EQ(load_model("/nowhere/model.gguf", {}).status().code(), StatusCode::kNotFound);
}

TEST(LoadModel, TokenizerAndTemplateAreOptional) {
  const auto with = load(kModels / "llama" / "model.gguf", {});
  ASSERT_NE(with, nullptr);
  EXPECT_NE(with->tokenizer, nullptr);
  EXPECT_FALSE(with->chat_template_source.empty());
  EXPECT_NE(with->chat_template, nullptr) << with->chat_template_error.message;
  const auto without = load(kModels / "gemma3", {});
  ASSERT_NE(without, nullptr);
  EXPECT_EQ(without->tokenizer, nullptr);
  EXPECT_EQ(without->chat_template, nullptr);
}

TEST(LoadText, ReadsVocabularyFilesAndTokenizerJson) {
  std::vector<std::vector<text::TokenId>> ids;
  for (const char* file : {"vocab.gguf", "tokenizer.json"}) {
    const Result<LoadedText> text = load_text((kTokenizers / "tiny-qwen2" / file).string());
    ASSERT_TRUE(text.ok()) << text.status().message();
    EXPECT_TRUE(text.value().tokenizer->encode("Hello world", {}, &ids.emplace_back()).ok());
    EXPECT_FALSE(ids.back().empty());
  }
  EXPECT_EQ(ids[0], ids[1]);
  const Status missing = load_text("/nowhere/tokenizer.json").status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_NE(missing.message().find("/nowhere/tokenizer.json"), std::string::npos) << missing.message();
}

}  // namespace
}  // namespace tribar::engine
