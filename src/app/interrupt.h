// Ctrl-C as a flag that loops look at, instead of the end of the process.
//
//   InterruptScope scope;                    // while it lives, the first Ctrl-C only sets the flag
//   while (!interrupted()) ...
//   clear_interrupt();                       // chat: the next answer starts afresh
//
// A second Ctrl-C before the flag is cleared ends the process at once with exit code 130.
// Threads: the flag may be read from any thread; scopes belong to the main thread and do not nest.
#pragma once

#include <csignal>

#include "base/status.h"

namespace tribar::app {

bool interrupted();
void clear_interrupt();
// What a command returns when Ctrl-C ended it: exit code 130, nothing printed.
Status interrupted_status();

class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  struct sigaction before_{};
};

}  // namespace tribar::app
