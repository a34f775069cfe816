// MachineProfile: the measured ceilings of this machine, kept in a file so that `doctor` measures once and `bench`
// reuses it.
//
//   const Machine machine = read_machine();
//   TRIBAR_ASSIGN_OR_RETURN(const ProfileSource p, machine_profile(machine, {}));   // from the cache, else measured
//   p.profile.peaks.stream_at(2).best
//
// The file is $XDG_CACHE_HOME/tribar/machine.json (default ~/.cache/tribar). It holds for one processor, feature set,
// allowance, kernel release and version of Tribar; a file of another machine, or a damaged one, is measured anew, and
// one that cannot be written is no error. Written whole or not at all.
// Threads: one caller. Errors: as measure_peaks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/json_writer.h"
#include "base/machine.h"
#include "base/status.h"
#include "kernel/machine_peaks.h"

namespace tribar::app {

// What a profile holds for.
struct MachineKey {
  std::string cpu;
  std::string features;
  std::string allowed_cpus;
  double quota = 0;  // 0: none
  int threads = 1;
  std::string kernel_release;
  std::string tribar_version;
  bool operator==(const MachineKey&) const = default;
};
MachineKey machine_key(const Machine& machine);

struct MachineProfile {
  MachineKey key;
  std::string measured_at;  // UTC, ISO 8601
  double load_average = 0;  // when it began
  kernel::MachinePeaks peaks;
};

// Whether something else used the machine while it was measured: the figures are then lower than the truth.
bool was_disturbed(const MachineProfile& profile);

std::string profile_json(const MachineProfile& profile);
// The members of the "peaks" object, for the profile and for `doctor --json`.
void write_peaks(const kernel::MachinePeaks& peaks, JsonWriter* json);
// nullopt for everything that profile_json did not write.
std::optional<MachineProfile> parse_profile(std::string_view text);

// "" where there is no home.
std::string machine_cache_path();

struct ProfileOptions {
  bool refresh = false;           // measure even if there is a profile
  const char* message = nullptr;  // to stderr before measuring
};
struct ProfileSource {
  MachineProfile profile;
  bool from_cache = false;
};
Result<ProfileSource> machine_profile(const Machine& machine, const ProfileOptions& options);

}  // namespace tribar::app
