#include "app/line_editor.h"

#include <histedit.h>
#include <langinfo.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <cwchar>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/interrupt.h"
#include "app/terminal.h"

namespace tribar::app {
namespace {

constexpr int kHistorySize = 1000;

volatile std::sig_atomic_t resized = 0;
volatile std::sig_atomic_t continued = 0;
extern "C" void on_window_change(int) { resized = 1; }
extern "C" void on_continue(int) { continued = 1; }

constexpr int kEditingSignals[] = {SIGINT, SIGWINCH, SIGCONT};

// While a line is edited the terminal's size matters, and so does coming back from Ctrl-Z. libedit's own handlers would
// send signals on to the whole process group, so it is told to leave signals alone. The signals are held back but for
// the moments in which wait_for_input() waits: one that came just before would otherwise not end the wait.
class EditingSignals {
 public:
  EditingSignals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : kEditingSignals) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &mask_before_);
    struct sigaction action{};
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_window_change;
    sigaction(SIGWINCH, &action, &window_before_);
    action.sa_handler = on_continue;
    sigaction(SIGCONT, &action, &continue_before_);
  }
  ~EditingSignals() {
    sigaction(SIGWINCH, &window_before_, nullptr);
    sigaction(SIGCONT, &continue_before_, nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  EditingSignals(const EditingSignals&) = delete;
  EditingSignals& operator=(const EditingSignals&) = delete;

 private:
  struct sigaction window_before_{}, continue_before_{};
  sigset_t mask_before_{};
};

// Until there is something to read: true; or a signal came: false.
bool wait_for_input() {
  sigset_t waiting;
  pthread_sigmask(SIG_BLOCK, nullptr, &waiting);
  for (const int signal : kEditingSignals) sigdelset(&waiting, signal);
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ppoll(&input, 1, nullptr, &waiting) >= 0;
}

// 1: a byte; 0: end of input; -1: Ctrl-C.
int read_byte(EditLine* editor, char* byte) {
  for (;;) {
    if (interrupted()) return -1;
    if (wait_for_input()) {
      const ssize_t n = ::read(STDIN_FILENO, byte, 1);
      if (n >= 0) return static_cast<int>(n);
    }
    if (errno != EINTR) return 0;
    if (interrupted()) return -1;
    if (std::exchange(resized, 0) != 0) el_resize(editor);
    if (std::exchange(continued, 0) != 0) {
      el_set(editor, EL_PREP_TERM, 1);
      el_set(editor, EL_REFRESH);
    }
  }
}

// libedit's reader would retry after a signal; this one gives the line up on Ctrl-C.
int read_character(EditLine* editor, wchar_t* character) {
  std::mbstate_t state{};
  for (;;) {
    char byte = 0;
    const int got = read_byte(editor, &byte);
    if (got != 1) return got;
    const size_t used = std::mbrtowc(character, &byte, 1, &state);
    if (used == static_cast<size_t>(-2)) continue;                  // more bytes follow
    if (used == static_cast<size_t>(-1)) state = std::mbstate_t{};  // not UTF-8: skipped
    if (used <= 1) return 1;
  }
}

// libedit works on wide characters; without a UTF-8 locale it would lose everything beyond ASCII.
void use_utf8() {
  std::setlocale(LC_CTYPE, "");
  if (std::string_view(nl_langinfo(CODESET)) != "UTF-8") std::setlocale(LC_CTYPE, "C.UTF-8");
}

}  // namespace

struct LineEditor::Terminal {
  EditLine* editor = nullptr;
  History* history = nullptr;
  std::string history_path;
  std::string prompt;
};

namespace {

char* prompt_of(EditLine* editor) {
  std::string* prompt = nullptr;
  el_get(editor, EL_CLIENTDATA, &prompt);
  return prompt->data();
}

}  // namespace

std::string default_history_path() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && state[0] == '/') return std::string(state) + "/tribar/history";
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.local/state/tribar/history";
  return {};
}

LineEditor::LineEditor(std::string history_path) {
  if (!is_terminal(stdin)) return;
  use_utf8();
  terminal_ = std::make_unique<Terminal>();
  Terminal& t = *terminal_;
  t.history_path = std::move(history_path);
  t.editor = el_init("tribar", stdin, is_terminal(stdout) ? stdout : stderr, stderr);
  t.history = history_init();
  HistEvent event;
  history(t.history, &event, H_SETSIZE, kHistorySize);
  history(t.history, &event, H_SETUNIQUE, 1);
  if (!t.history_path.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(t.history_path).parent_path(), ignored);
    history(t.history, &event, H_LOAD, t.history_path.c_str());
  }
  el_set(t.editor, EL_CLIENTDATA, &t.prompt);
  el_set(t.editor, EL_PROMPT, prompt_of);
  el_set(t.editor, EL_EDITOR, "emacs");
  el_set(t.editor, EL_HIST, ::history, t.history);
  el_set(t.editor, EL_SIGNAL, 0);
  el_set(t.editor, EL_GETCFN, read_character);
  el_source(t.editor, nullptr);
}

LineEditor::~LineEditor() {
  if (!terminal_) return;
  history_end(terminal_->history);
  el_end(terminal_->editor);
}

ReadResult LineEditor::read(const std::string& prompt, std::string* line) {
  line->clear();
  if (!terminal_) return std::getline(std::cin, *line) ? ReadResult::kLine : ReadResult::kEnd;
  const EditingSignals signals;
  terminal_->prompt = prompt;
  // Before the prompt shows, not after it as el_gets would: a Ctrl-D in between would be swallowed.
  el_set(terminal_->editor, EL_PREP_TERM, 1);
  int length = 0;
  const char* text = el_gets(terminal_->editor, &length);
  if (interrupted()) return ReadResult::kInterrupted;
  if (text == nullptr || length <= 0) return ReadResult::kEnd;
  line->assign(text, static_cast<size_t>(length));
  if (line->ends_with('\n')) line->pop_back();
  return ReadResult::kLine;
}

void LineEditor::remember(const std::string& entry) {
  if (!terminal_ || entry.empty()) return;
  HistEvent event;
  history(terminal_->history, &event, H_ENTER, entry.c_str());
  if (terminal_->history_path.empty()) return;
  history(terminal_->history, &event, H_SAVE, terminal_->history_path.c_str());
}

}  // namespace tribar::app
