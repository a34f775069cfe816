// StopMatcher: cuts a stream of text at the first occurrence of any stop string, wherever token borders fall.
//
//   StopMatcher m({"\n\nUser:"});
//   m.push("Hello\n", &out);   // false: go on; text that may begin a stop string is held back
//   m.push("\nUser: x", &out); // true: stopped; `out` never contained the stop string or a part of it
//   m.finish(&out);            // the stream ended without one: release what was held
//
// The earliest occurrence wins; of two that start at the same place, the shorter. Linear in the text (no backtracking).
// Threads: one caller.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tribar::text {

class StopMatcher {
 public:
  explicit StopMatcher(std::vector<std::string> stops);
  bool push(std::string_view text, std::string* out);
  void finish(std::string* out);
  bool stopped() const { return stopped_; }

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace tribar::text
