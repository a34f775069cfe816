// What loading a model takes: seconds by phase, GB/s of packing, and the peak of memory, mapped file pages included.
//
//   ninja -C build/release load_bench && build/release/benchmarks/load/load_bench model.gguf [threads]
//
// One load a process, because the peak is the process's (VmHWM). The first run after a boot measures the disk.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "engine/loaded_model.h"

namespace {

double status_mb(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string name;
    double kib = 0;
    if (words >> name >> kib && name == key + ":") return kib * 1024e-6;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: load_bench MODEL [THREADS]\n");
    return 2;
  }
  tribar::engine::LoadOptions options;
  options.context_tokens = 128;  // the cache is not what is measured
  if (argc > 2) std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), options.threads);
  double before_mb = 0;  // of the weights: tokenizer and graph
  options.progress = [&](double) {
    if (before_mb == 0) before_mb = status_mb("VmRSS");
    return true;
  };
  const auto loaded = tribar::engine::load_model(argv[1], options);
  if (!loaded.ok()) {
    std::fprintf(stderr, "load_bench: %s\n", std::string(loaded.status().message()).c_str());
    return 2;
  }
  const tribar::engine::LoadedModel& model = **loaded;
  double file_mb = 0;
  for (const auto& file : model.files->files()) file_mb += 1e-6 * static_cast<double>(file.size_bytes);
  const double packed_mb = 1e-6 * static_cast<double>(model.weights->packed_bytes());
  const double peak_mb = status_mb("VmHWM");
  const tribar::engine::LoadTimes& t = model.times;
  std::printf("open %.3f s, tokenizer %.3f s, graph %.3f s, weights %.3f s (%.2f GB/s of file, %d threads)\n",
              t.open_seconds, t.tokenizer_seconds, t.graph_seconds, t.pack_seconds, 1e-3 * file_mb / t.pack_seconds,
              model.team->size());
  std::printf(
      "file %.1f MB, packed %.1f MB; memory: %.1f MB when the first weights were packed, peak %.1f MB, %.3f of %s\n",
      file_mb, packed_mb, before_mb, peak_mb, peak_mb / std::max(file_mb, packed_mb),
      file_mb > packed_mb ? "the file" : "the packed form");
  return 0;
}
