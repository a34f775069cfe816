// A token's logits are the same bits alone, in chunks of 7, 64 and 512, on one, two and three threads, planned and
// eager: on every instruction set, in both precisions, for the models of tests/data and for one in every kind of block.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "base/cpu_features.h"
#include "engine/evaluator.h"
#include "engine/loaded_model.h"
#include "golden/golden_data.h"
#include "golden/golden_file.h"

namespace tribar {
namespace {

struct RunParams {
  size_t tokens = 0;
  int64_t chunk = 512;
  int threads = 1;
  runtime::ExecutionMode mode = runtime::ExecutionMode::kPlanned;
  kernel::Precision precision = kernel::Precision::kFast;
};

std::string describe(const RunParams& p) {
  return std::to_string(p.tokens) + " tokens in chunks of " + std::to_string(p.chunk) + " on " +
         std::to_string(p.threads) +
         (p.mode == runtime::ExecutionMode::kEager ? " threads, eager" : " threads, planned");
}

// TRIBAR_FORCE_ISA for the life of a scope.
struct ForcedIsa {
  explicit ForcedIsa(Isa isa) { setenv("TRIBAR_FORCE_ISA", std::string(isa_name(isa)).c_str(), 1); }
  ~ForcedIsa() { unsetenv("TRIBAR_FORCE_ISA"); }
};

std::vector<int32_t> some_ids(size_t count, int64_t vocabulary) {
  std::vector<int32_t> ids;
  uint32_t state = 12345;
  while (ids.size() < count) {
    state = state * 1664525u + 1013904223u;
    ids.push_back(static_cast<int32_t>((state >> 8) % static_cast<uint32_t>(vocabulary)));
  }
  return ids;
}

// The logits of every position, end to end.
std::vector<float> logits_of(const std::string& path, const RunParams& p) {
  engine::LoadOptions options;
  options.precision = p.precision;
  options.mode = p.mode;
  options.threads = p.threads;
  options.context_tokens = 544;
  options.max_step_tokens = 512;
  auto model = engine::load_model(path, options);
  EXPECT_TRUE(model.ok()) << model.status().message();
  if (!model.ok()) return {};
  engine::Evaluator evaluator(model->get(), {.chunk_tokens = p.chunk});
  std::vector<float> all;
  const Status status =
      evaluator.append(some_ids(p.tokens, (*model)->info.vocab_size), engine::WantLogits::kAll,
                       [&](int64_t, std::span<const float> row) { all.insert(all.end(), row.begin(), row.end()); });
  EXPECT_TRUE(status.ok()) << status.message();
  return all;
}

// All splits of one model against one chunk on one thread. Short runs are held against the beginning of the long
// one: no model here has a rope that depends on the length beyond 70 tokens.
void check_model(const std::string& path, Isa isa, kernel::Precision precision) {
  const ForcedIsa forced(isa);
  const size_t tokens = isa == Isa::kReference ? 72 : 520;
  RunParams base{.tokens = tokens, .precision = precision};
  const std::vector<float> expected = logits_of(path, base);
  ASSERT_FALSE(expected.empty());
  constexpr auto kPlanned = runtime::ExecutionMode::kPlanned;
  constexpr auto kEager = runtime::ExecutionMode::kEager;
  const RunParams runs[] = {
      {70, 1, 1, kPlanned, precision},      {70, 7, 2, kPlanned, precision},       {70, 64, 3, kPlanned, precision},
      {tokens, 64, 2, kPlanned, precision}, {tokens, 512, 3, kPlanned, precision}, {tokens, 512, 1, kEager, precision},
      {70, 7, 2, kEager, precision},
  };
  for (const RunParams& run : runs) {
    const std::vector<float> logits = logits_of(path, run);
    ASSERT_EQ(logits.size() * tokens, expected.size() * run.tokens) << describe(run);
    EXPECT_EQ(std::memcmp(logits.data(), expected.data(), logits.size() * sizeof(float)), 0) << describe(run);
  }
}

std::vector<Isa> supported_isas() {
  std::vector<Isa> isas;
  for (Isa isa : kAllIsas) {
    if (isa_supported(isa)) isas.push_back(isa);
  }
  return isas;
}

using ModelCase = std::tuple<std::string, Isa>;

class RowInvariance : public testing::TestWithParam<ModelCase> {};
INSTANTIATE_TEST_SUITE_P(Models, RowInvariance,
                         testing::Combine(testing::Values("gemma3/model.safetensors", "glm4/model.safetensors",
                                                          "llama/model.gguf", "olmo2/model.safetensors",
                                                          "phi3_longrope/model.gguf", "qwen2/model.gguf",
                                                          "qwen3/model.gguf"),
                                          testing::ValuesIn(supported_isas())),
                         [](const auto& info) {
                           const std::string path = std::get<0>(info.param);
                           return path.substr(0, path.find('/')) + "_" + std::string(isa_name(std::get<1>(info.param)));
                         });

TEST_P(RowInvariance, HoldsForBothPrecisions) {
  const auto& [name, isa] = GetParam();
  const std::filesystem::path file = std::filesystem::path(TRIBAR_TEST_DATA) / "models" / name;
  // A safetensors model is its folder.
  const std::string path = file.extension() == ".gguf" ? file.string() : file.parent_path().string();
  check_model(path, isa, kernel::Precision::kExact);
  check_model(path, isa, kernel::Precision::kFast);
}

// One matrix type after another around the model, so that every integer kernel takes part.
class QuantizedRowInvariance : public testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(Isas, QuantizedRowInvariance, testing::ValuesIn(supported_isas()),
                         [](const auto& info) { return std::string(isa_name(info.param)); });

TEST_P(QuantizedRowInvariance, HoldsForEveryBlockType) {
  constexpr DType kTypes[] = {DType::kQ4_0,   DType::kQ4_1,   DType::kQ5_0, DType::kQ5_1, DType::kQ8_0,
                              DType::kQ2_K,   DType::kQ3_K,   DType::kQ4_K, DType::kQ5_K, DType::kQ6_K,
                              DType::kIQ4_NL, DType::kIQ4_XS, DType::kMXFP4};
  Result<golden::GoldenFile> file =
      golden::GoldenFile::open_path((std::filesystem::path(TRIBAR_TEST_DATA) / "models/qwen2/model.gguf").string());
  ASSERT_TRUE(file.ok()) << file.status().message();
  // Eight matrices: twice eight types in turn are all of them.
  for (size_t first : {size_t{0}, size_t{8}}) {
    golden::GoldenFile mixed = *file;
    size_t next = first;
    for (const auto& [name, tensor] : file->tensors()) {
      if (tensor.info.shape.size() == 2) mixed.convert(name, kTypes[next++ % std::size(kTypes)]);
    }
    ASSERT_GE(next - first, 8u);
    const std::string path =
        std::filesystem::temp_directory_path() / ("tribar_row_invariance_" + std::to_string(getpid()) + ".gguf");
    ASSERT_TRUE(mixed.write_gguf(path).ok());
    check_model(path, GetParam(), kernel::Precision::kFast);
    check_model(path, GetParam(), kernel::Precision::kExact);
    std::filesystem::remove(path);
  }
}

}  // namespace
}  // namespace tribar
