// StopMatcher: cuts a stream of text at the first occurrence of any stop string, wherever token borders fall.
//
//   StopMatcher m({"\n\nUser:"});
//   m.push("Hello\n", &out);   // false: go on; text that may begin a stop string is held back
//   m.push("\nUser: x", &out); // true: stopped; `out` never contained the stop string or a part of it
//   m.finish(&out);            // the stream ended without one: release what was held
//
// The earliest occurrence wins; of two that start at the same place, the shorter. A stop string that is a later part
// of another one waits until the other can no longer match, because the other would begin earlier. Empty stop
// strings are ignored. Time is linear in the text (an automaton for each stop string, KMP); never more than the
// longest stop string is held back. Threads: one caller.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tribar::text {

class StopMatcher {
 public:
  explicit StopMatcher(std::vector<std::string> stops);
  // Appends to `out` what can not be part of a stop string any more.
  bool push(std::string_view text, std::string* out);
  void finish(std::string* out);
  bool stopped() const { return stopped_; }

 private:
  struct Stop {
    std::string text;
    std::vector<size_t> fallback;  // KMP: longest border of each prefix
    size_t matched = 0;
    void advance(char c);
  };
  size_t longest_match() const;

  std::vector<Stop> stops_;
  std::string held_;               // text not yet given out, ends where the input ended
  std::optional<size_t> stop_at_;  // offset in held_ of the earliest occurrence found
  bool stopped_ = false;
};

}  // namespace tribar::text
