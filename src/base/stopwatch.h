// Stopwatch: wall time of a phase, from the monotonic clock.
//
//   Stopwatch watch;
//   ...
//   double load_us = watch.lap_us();      // and starts the next phase at the same instant, so laps sum to the total
//
// Threads: a value. Unit: microseconds with a fraction.
#pragma once

#include <chrono>

namespace tribar {

class Stopwatch {
 public:
  Stopwatch() : start_(Clock::now()) {}

  double elapsed_us() const { return microseconds(Clock::now() - start_); }
  double lap_us() {
    const Clock::time_point now = Clock::now();
    const double us = microseconds(now - start_);
    start_ = now;
    return us;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double microseconds(Clock::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

  Clock::time_point start_;
};

}  // namespace tribar
