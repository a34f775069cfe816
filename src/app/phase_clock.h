// PhaseClock: where the time of a command went. At every moment exactly one phase runs, so the phases sum to the wall
// time.
//
//   PhaseClock clock(PhaseClock::Start::kProcess);     // counts from the start of the process, in kLoad
//   clock.enter(Phase::kTokenise);  ...  clock.add_tokens(Phase::kTokenise, ids.size());
//   clock.enter(Phase::kPrefill);   ...
//   clock.move(Phase::kPrefill, Phase::kSample, us);   // a callee knows better where some of it belongs
//   clock.stop();
//   print_phases(stderr, clock);
//
// What is done between two phases belongs to the one entered last; printing the answer belongs to kDetokenise.
// Threads: one caller. Unit: microseconds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "app/json_writer.h"
#include "app/terminal.h"
#include "base/stopwatch.h"

namespace tribar::app {

enum class Phase : uint8_t { kLoad, kTokenise, kPrefill, kDecode, kSample, kDetokenise };
inline constexpr size_t kPhases = 6;
std::string_view phase_name(Phase phase);

class PhaseClock {
 public:
  enum class Start : uint8_t { kProcess, kNow };
  explicit PhaseClock(Start start);

  void enter(Phase phase);
  void move(Phase from, Phase to, double us);
  void add_tokens(Phase phase, int64_t tokens) { tokens_[index(phase)] += tokens; }
  // Ends the current phase; enter() goes on.
  void stop() { charge(); }

  double us(Phase phase) const { return us_[index(phase)]; }
  int64_t tokens(Phase phase) const { return tokens_[index(phase)]; }
  double total_us() const;
  // 0 if nothing was counted.
  double tokens_per_second(Phase phase) const;

 private:
  static size_t index(Phase phase) { return static_cast<size_t>(phase); }
  void charge() { us_[index(current_)] += watch_.lap_us(); }

  Stopwatch watch_;
  Phase current_ = Phase::kLoad;
  std::array<double, kPhases> us_{};
  std::array<int64_t, kPhases> tokens_{};
};

// A table with one line a phase and the total.
std::string phase_table(const PhaseClock& clock, Style style);
void print_phases(std::FILE* stream, const PhaseClock& clock);
// "phases":{"load":{"seconds":...,"tokens":...,"tokens_per_second":...},...},"wall_seconds":...
void write_phases(const PhaseClock& clock, JsonWriter* json);

}  // namespace tribar::app
