#include "kernel/machine_peaks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/available_cpus.h"
#include "kernel/kernel_test_data.h"

namespace tribar::kernel {
namespace {

MachinePeaks made_up() {
  MachinePeaks peaks;
  peaks.threads = 4;
  peaks.compute = {{Arithmetic::kInt8, "avx2", "a", {100, 90}, {400, 360}},
                   {Arithmetic::kInt8, "avx512_vnni", "b", {200, 190}, {700, 660}},
                   {Arithmetic::kFp32, "avx2", "c", {50, 50}, {200, 200}}};
  peaks.stream = {{1, {10, 9}}, {2, {18, 17}}, {4, {20, 19}}};
  return peaks;
}

TEST(MachinePeaks, StreamBetweenAndBeyondWhatWasMeasured) {
  const MachinePeaks peaks = made_up();
  EXPECT_EQ(peaks.stream_at(0).best, 10);
  EXPECT_EQ(peaks.stream_at(1).best, 10);
  EXPECT_EQ(peaks.stream_at(2).median, 17);
  EXPECT_EQ(peaks.stream_at(3).best, 19);
  EXPECT_EQ(peaks.stream_at(9).best, 20);
  EXPECT_EQ(MachinePeaks{}.stream_at(1).best, 0);
}

TEST(MachinePeaks, FindsArithmeticByNameAndByRate) {
  const MachinePeaks peaks = made_up();
  EXPECT_EQ(peaks.find(Arithmetic::kInt8, "avx2")->instruction, "a");
  EXPECT_EQ(peaks.find(Arithmetic::kBf16, "avx2"), nullptr);
  EXPECT_EQ(peaks.best(Arithmetic::kInt8)->instruction, "b");
  EXPECT_EQ(peaks.best(Arithmetic::kBf16), nullptr);
  EXPECT_EQ(rate_at(*peaks.best(Arithmetic::kInt8), 4, 1).best, 200);
  EXPECT_EQ(rate_at(*peaks.best(Arithmetic::kInt8), 4, 4).best, 700);
  EXPECT_NEAR(rate_at(*peaks.best(Arithmetic::kInt8), 4, 2).best, 200 + 500.0 / 3, 1e-9);
  EXPECT_EQ(rate_at(*peaks.best(Arithmetic::kInt8), 4, 8).best, 700);
  EXPECT_EQ(rate_at(*peaks.best(Arithmetic::kInt8), 1, 8).best, 200);
}

TEST(MachinePeaks, TheBufferExceedsTheCachesAndLeavesMemory) {
  constexpr uint64_t kGiB = uint64_t{1} << 30;
  EXPECT_EQ(stream_buffer_bytes({}, 100 * kGiB), kGiB);
  EXPECT_EQ(stream_buffer_bytes({{3, 32 << 20, 8, 1}}, 100 * kGiB), kGiB);
  EXPECT_EQ(stream_buffer_bytes({{2, 1 << 20, 1, 64}, {3, 512 << 20, 8, 2}}, 100 * kGiB), 2 * kGiB);
  EXPECT_EQ(stream_buffer_bytes({}, 2 * kGiB), kGiB / 2);
}

TEST(MachinePeaks, ThreadCountsEndWithAll) {
  EXPECT_EQ(stream_thread_counts(1), (std::vector<int>{1}));
  EXPECT_EQ(stream_thread_counts(3), (std::vector<int>{1, 2, 3}));
  const std::vector<int> many = stream_thread_counts(128);
  EXPECT_EQ(many.back(), 128);
  EXPECT_LT(many.size(), 30u);
  EXPECT_TRUE(std::is_sorted(many.begin(), many.end()));
}

TEST(MachinePeaks, EveryLevelOfThisMachineHasAnInt8Peak) {
  std::set<std::string_view> names;
  for (const PeakLoop& loop : supported_peak_loops()) {
    if (loop.arithmetic == Arithmetic::kInt8) names.insert(loop.name);
  }
  if (names.empty()) GTEST_SKIP() << "no loops for this processor";
  for (Isa isa : tested_isas()) EXPECT_TRUE(names.contains(int8_peak_name(isa))) << isa_name(isa);
}

TEST(MachinePeaks, MeasuresThisMachine) {
  std::vector<double> fractions;
  const PeakOptions options{.threads = 2,
                            .stream_bytes = 4 << 20,
                            .caches = {{1, 32 << 10, 1, 1}},
                            .cpus = affinity_cpus(),
                            .progress = [&](double fraction, std::string_view) {
                              fractions.push_back(fraction);
                              return true;
                            }};
  Result<MachinePeaks> peaks = measure_peaks(options);
  ASSERT_TRUE(peaks.ok()) << peaks.status().message();
  EXPECT_EQ(peaks->compute.size(), supported_peak_loops().size());
  for (const ComputePeak& peak : peaks->compute) {
    EXPECT_GT(peak.one_thread.median, 0) << peak.name;
    EXPECT_GE(peak.one_thread.best, peak.one_thread.median) << peak.name;
    EXPECT_GE(peak.all_threads.best, peak.all_threads.median) << peak.name;
  }
  ASSERT_EQ(peaks->stream.size(), 2u);
  EXPECT_GT(peaks->stream[1].gbps.median, 0);
  ASSERT_EQ(peaks->caches.size(), 1u);
  EXPECT_GT(peaks->caches[0].gbps.best, 0);
  EXPECT_GT(peaks->barrier_us.median, 0);
  EXPECT_LE(peaks->barrier_us.best, peaks->barrier_us.median);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_LT(fractions.back(), 1);
  EXPECT_EQ(affinity_cpus(), options.cpus) << "the caller was left pinned";
}

TEST(MachinePeaks, StopsWhenAskedAndRefusesNonsense) {
  const auto never = [](double, std::string_view) { return false; };
  EXPECT_EQ(measure_peaks({.threads = 1, .stream_bytes = 4 << 20, .caches = {}, .cpus = {}, .progress = never})
                .status()
                .code(),
            StatusCode::kCancelled);
  EXPECT_EQ(
      measure_peaks({.threads = 1, .stream_bytes = 0, .caches = {}, .cpus = {}, .progress = nullptr}).status().code(),
      StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace tribar::kernel
