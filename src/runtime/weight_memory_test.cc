// How much memory loading takes at its peak, pages of the mapped file included.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "base/mapped_file.h"
#include "graph/builder.h"
#include "kernel/kernel_test_data.h"
#include "runtime/weight_store.h"

namespace tribar::runtime {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // shadow memory counts as well
#else
constexpr bool kSanitized = false;
#endif

using graph::WeightRole;

constexpr int64_t kCols = 2048;
constexpr int64_t kLayers = 3;
constexpr int64_t kRows = 4096;  // 8.5 MiB a matrix of Q8_0
constexpr int64_t kVocab = 8192;
constexpr DType kType = DType::kQ8_0;

int64_t file_bytes() { return (kVocab + kLayers * kRows) * *row_bytes(kType, kCols); }

// The table, then the layers, one after the other in the file.
graph::Graph model_graph() {
  graph::Graph g;
  graph::Builder b(&g);
  const auto x = b.embed(b.weight({"embd", WeightRole::kEmbedding, {{"embd", 0, kVocab}}, kType, kVocab, kCols}), 1.0f);
  const auto rows = b.gather_logit_rows(x);
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    const std::string name(1, static_cast<char>('0' + layer));
    b.linear(rows, b.weight({name, WeightRole::kMatrix, {{name, 0, kRows}}, kType, kRows, kCols}));
  }
  b.set_logits(b.linear(rows, b.weight({"head", WeightRole::kMatrix, {{"embd", 0, kVocab}}, kType, kVocab, kCols})));
  return g;
}

std::string write_file() {
  std::string path = testing::TempDir() + "weight_memory_XXXXXX";
  const int file = mkstemp(path.data());
  close(file);
  std::ofstream out(path, std::ios::binary);
  const std::string part(static_cast<size_t>(*row_bytes(kType, kCols)), '\x35');
  for (int64_t row = 0; row < kVocab + kLayers * kRows; ++row) out << part;
  return path;
}

int64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string name;
    int64_t kib = 0;
    if (words >> name >> kib && name == key + ":") return kib * 1024;
  }
  return -1;
}

struct Measured {
  bool loaded = false;
  int64_t peak_bytes = 0;  // beyond what was there before
  int64_t packed_bytes = 0;
};

Measured load(const std::string& path, Isa isa, int threads) {
  const int64_t before = status_bytes("VmRSS");
  const MappedFile file = std::move(MappedFile::open(path).value());
  const int64_t stride = *row_bytes(kType, kCols);
  WeightStoreOptions options;
  options.isa = isa;
  options.source = [&](const std::string& name) -> std::optional<SourceTensor> {
    const bool table = name == "embd";
    const int64_t first = table ? 0 : kVocab + (name[0] - '0') * kRows;
    const int64_t rows = table ? kVocab : kRows;
    return SourceTensor{file.bytes().subspan(static_cast<size_t>(first * stride), static_cast<size_t>(rows * stride)),
                        kType, rows, kCols};
  };
  options.drop_pages = [&](std::span<const std::byte> bytes) { file.drop_pages(bytes); };
  ThreadTeam team(threads);
  const auto store = WeightStore::load(model_graph(), options, &team);
  if (!store.ok()) return {};
  return {true, status_bytes("VmHWM") - before, static_cast<int64_t>((*store)->packed_bytes())};
}

// In a child, whose peak starts at what it uses, whatever other tests of this process have used.
Measured load_in_child(const std::string& path, Isa isa, int threads) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    const Measured measured = load(path, isa, threads);
    _exit(write(ends[1], &measured, sizeof measured) == sizeof measured ? 0 : 1);
  }
  close(ends[1]);
  Measured measured;
  if (read(ends[0], &measured, sizeof measured) != sizeof measured) measured = {};
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return measured;
}

TEST(WeightMemory, PeakStaysNearTheLargerOfFileAndPackedForm) {
  if (kSanitized) GTEST_SKIP() << "memory of the sanitizer counts";
  const std::string path = write_file();
  for (Isa isa : kernel::tested_isas()) {
    for (const int threads : {1, 4}) {
      const Measured m = load_in_child(path, isa, threads);
      ASSERT_TRUE(m.loaded);
      const auto larger = static_cast<double>(std::max(file_bytes(), m.packed_bytes));
      EXPECT_LE(static_cast<double>(m.peak_bytes), 1.15 * larger) << isa_name(isa) << ", " << threads << " threads";
    }
  }
  std::remove(path.c_str());
}

}  // namespace
}  // namespace tribar::runtime
