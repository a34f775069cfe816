#include "app/machine_profile.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <span>

#include "app/interrupt.h"
#include "app/progress_bar.h"
#include "base/mapped_file.h"
#include "base/write_file.h"

namespace tribar::app {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxProfileBytes = size_t{1} << 20;

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::optional<MachineProfile> load(const std::string& path, const MachineKey& key) {
  if (path.empty()) return std::nullopt;
  const Result<std::string> text = read_text_file(path, kMaxProfileBytes);
  std::optional<MachineProfile> profile = text.ok() ? parse_profile(*text) : std::nullopt;
  if (profile && profile->key != key) return std::nullopt;
  return profile;
}

// A cache that cannot be kept costs some seconds the next time, nothing else.
void store(const std::string& path, const MachineProfile& profile) {
  if (path.empty()) return;
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (error) return;
  const std::string text = profile_json(profile) + "\n";
  const Status written = write_file(path, std::as_bytes(std::span(text)));
  if (!written.ok()) std::fprintf(stderr, "%s: %s\n", path.c_str(), written.message().c_str());
}

Result<MachineProfile> measure(const Machine& machine) {
  ProgressBar bar("measuring");
  MachineProfile profile{machine_key(machine), utc_now(), machine.load_average, {}};
  kernel::PeakOptions options;
  options.threads = machine.threads;
  options.caches = machine.cpus.caches;
  options.cpus = machine.cpus.spread;
  options.stream_bytes = kernel::stream_buffer_bytes(machine.cpus.caches, machine.memory_available_bytes);
  options.progress = [&](double fraction, std::string_view what) {
    bar.update(fraction, what);
    return !interrupted();
  };
  Result<kernel::MachinePeaks> peaks = kernel::measure_peaks(options);
  if (interrupted()) return interrupted_status();
  if (!peaks.ok()) return peaks.status();
  profile.peaks = std::move(*peaks);
  return profile;
}

double steadiness(const kernel::Measured& measured) { return measured.best > 0 ? measured.median / measured.best : 1; }

}  // namespace

MachineKey machine_key(const Machine& machine) {
  return {.cpu = machine.cpus.name,
          .features = describe_cpu_features(machine.features) + (machine.amx_permission ? " amx_permission" : ""),
          .allowed_cpus = cpu_list_text(machine.cpus.allowed),
          .quota = machine.cpu_quota.value_or(0),
          .threads = machine.threads,
          .kernel_release = machine.kernel_release,
          .tribar_version = TRIBAR_VERSION};
}

bool was_disturbed(const MachineProfile& profile) {
  constexpr double kSteady = 0.8;
  if (profile.load_average > 0.75 * profile.key.threads) return true;
  for (const kernel::ComputePeak& peak : profile.peaks.compute) {
    if (steadiness(peak.one_thread) < kSteady || steadiness(peak.all_threads) < kSteady) return true;
  }
  return steadiness(profile.peaks.stream_at(profile.peaks.threads)) < kSteady;
}

std::string machine_cache_path() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  // The specification of base directories: a relative path is to be ignored.
  std::string folder = variable("XDG_CACHE_HOME");
  if (!folder.starts_with('/')) {
    const std::string home = variable("HOME");
    if (home.empty()) return "";
    folder = home + "/.cache";
  }
  return folder + "/tribar/machine.json";
}

Result<ProfileSource> machine_profile(const Machine& machine, const ProfileOptions& options) {
  const std::string path = machine_cache_path();
  if (!options.refresh) {
    std::optional<MachineProfile> cached = load(path, machine_key(machine));
    if (cached) return ProfileSource{std::move(*cached), true};
  }
  if (options.message != nullptr) std::fprintf(stderr, "%s\n", options.message);
  TRIBAR_ASSIGN_OR_RETURN(MachineProfile profile, measure(machine));
  store(path, profile);
  return ProfileSource{std::move(profile), false};
}

}  // namespace tribar::app
