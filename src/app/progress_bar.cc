#include "app/progress_bar.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "app/terminal.h"

namespace tribar::app {

using std::chrono::milliseconds;

std::string progress_line(std::string_view label, double fraction, std::string_view note, int columns) {
  fraction = std::clamp(fraction, 0.0, 1.0);
  char percent[8];
  std::snprintf(percent, sizeof percent, "%3d%%", static_cast<int>(fraction * 100));
  std::string tail = std::string("] ") + percent;
  if (!note.empty()) tail += " " + std::string(note);
  std::string line = std::string(label) + " [";

  // The last column stays free: writing to it makes some terminals wrap.
  const int room = columns - 1 - static_cast<int>(line.size() + tail.size());
  const int width = std::clamp(room, 0, 30);
  const int filled = static_cast<int>(fraction * width);
  line.append(static_cast<size_t>(filled), '=');
  line.append(static_cast<size_t>(width - filled), ' ');
  line += tail;
  if (static_cast<int>(line.size()) >= columns) line.resize(static_cast<size_t>(std::max(columns - 1, 0)));
  return line;
}

ProgressBar::ProgressBar(std::string label)
    : label_(std::move(label)), enabled_(is_terminal(stderr)), next_draw_(Clock::now() + milliseconds(1000)) {}

void ProgressBar::update(double fraction, std::string_view note) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + milliseconds(100);
  drawn_ = true;
  std::fprintf(stderr, "\r\x1b[K%s", progress_line(label_, fraction, note, terminal_columns(stderr)).c_str());
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (!drawn_) return;
  drawn_ = false;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace tribar::app
