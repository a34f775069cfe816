// What the user's terminal can show: whether a stream is one, its width, and whether to use colour.
//
//   const Style style = Style::for_stream(stderr);
//   std::fprintf(stderr, "%serror:%s ...\n", style.red(), style.reset());   // plain text when piped or NO_COLOR is set
//
// Colour is on when the stream is a terminal, NO_COLOR is unset or empty (no-color.org) and TERM is not "dumb".
// Threads: pure functions over the environment.
#pragma once

#include <cstdio>

namespace tribar::app {

bool is_terminal(std::FILE* stream);
// Columns, at least 20; 80 when unknown.
int terminal_columns(std::FILE* stream);

class Style {
 public:
  static Style for_stream(std::FILE* stream);
  static Style plain() { return Style(false); }

  const char* bold() const { return coloured_ ? "\x1b[1m" : ""; }
  const char* dim() const { return coloured_ ? "\x1b[2m" : ""; }
  const char* red() const { return coloured_ ? "\x1b[31m" : ""; }
  const char* green() const { return coloured_ ? "\x1b[32m" : ""; }
  const char* reset() const { return coloured_ ? "\x1b[0m" : ""; }

 private:
  explicit Style(bool coloured) : coloured_(coloured) {}
  bool coloured_;
};

}  // namespace tribar::app
