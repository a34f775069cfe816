// LineEditor: reads lines from the user, with editing keys and a history that survives the program (libedit).
//
//   LineEditor editor(default_history_path());
//   std::string line;
//   switch (editor.read(">>> ", &line)) { case ReadResult::kLine: ... }
//
// When standard input is not a terminal, lines are read as they are, without prompt, editing or history.
// Ctrl-C gives up the line (needs an InterruptScope); Ctrl-D on an empty line ends the input. Keys follow ~/.editrc.
// Threads: one, and one editor at a time: terminals and signals are global.
#pragma once

#include <memory>
#include <string>

namespace tribar::app {

enum class ReadResult : uint8_t { kLine, kInterrupted, kEnd };

// $XDG_STATE_HOME/tribar/history or ~/.local/state/tribar/history; empty (no history file) when neither is known.
std::string default_history_path();

class LineEditor {
 public:
  explicit LineEditor(std::string history_path);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  ReadResult read(const std::string& prompt, std::string* line);
  // Appends to the history and its file.
  void remember(const std::string& entry);

 private:
  struct Terminal;
  std::unique_ptr<Terminal> terminal_;  // null when standard input is not one
};

}  // namespace tribar::app
