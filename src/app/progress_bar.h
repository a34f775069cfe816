// ProgressBar: one line on stderr for work that takes over a second; nothing when stderr is not a terminal.
//
//   ProgressBar bar("packing weights");
//   options.progress = [&](double fraction) { bar.update(fraction); return true; };
//   bar.update(0.5, "ppl 12.34");   // text after the bar
//   bar.clear();                    // also done by the destructor
//
// The line appears only after one second, is redrawn at most ten times a second, fits the terminal's width and is
// erased at the end, so that output never mixes with it.
// Threads: one caller at a time.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace tribar::app {

// "packing weights [=====>    ]  52% note", cut to `columns`.
std::string progress_line(std::string_view label, double fraction, std::string_view note, int columns);

class ProgressBar {
 public:
  explicit ProgressBar(std::string label);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(double fraction, std::string_view note = {});
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point next_draw_;
};

}  // namespace tribar::app
