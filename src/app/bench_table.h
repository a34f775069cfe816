// What `tribar bench` measured and how it is written: in llama-bench's columns and JSON names, so that the two can be
// compared by a script.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tribar::app {

struct BenchModel {
  std::string file;  // as given
  std::string type;  // "llama 135M Q4_1"
  uint64_t size_bytes = 0;
  int64_t parameters = 0;
  std::string backend;  // "CPU avx512"
  std::string cpu;
  std::string kv_type;
};

// One line of the table: a test repeated several times.
struct BenchResult {
  int threads = 0;
  int64_t n_prompt = 0;  // 0: no prefill measured
  int64_t n_gen = 0;     // 0: prefill only
  int64_t n_depth = 0;   // tokens in the cache before
  int64_t chunk = 0;
  std::string time;  // UTC, ISO 8601, when it began
  std::vector<double> samples_us;

  std::vector<double> samples_tokens_per_second() const;
};

struct MeanAndDeviation {
  double mean = 0;
  double deviation = 0;  // of the sample (n - 1); 0 for one
};
MeanAndDeviation mean_and_deviation(const std::vector<double>& samples);

// "pp512", "tg128", "pp512+tg128", "tg128 @ d1024".
std::string test_name(const BenchResult& result);

std::string bench_markdown(const BenchModel& model, const std::vector<BenchResult>& results);
std::string bench_json(const BenchModel& model, const std::vector<BenchResult>& results);
std::string bench_csv(const BenchModel& model, const std::vector<BenchResult>& results);

}  // namespace tribar::app
