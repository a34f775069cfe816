#include "app/interrupt.h"

#include <unistd.h>

#include <atomic>

#include "app/command.h"

namespace tribar::app {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "signal handlers need it");

extern "C" void on_interrupt(int) {
  if (flag.exchange(true)) _exit(kExitInterrupted);
}

}  // namespace

bool interrupted() { return flag.load(std::memory_order_relaxed); }
void clear_interrupt() { flag.store(false, std::memory_order_relaxed); }
Status interrupted_status() { return {StatusCode::kCancelled, ""}; }

// Without SA_RESTART: a read that waits for the user must return.
InterruptScope::InterruptScope() {
  clear_interrupt();
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_);
}

InterruptScope::~InterruptScope() { sigaction(SIGINT, &before_, nullptr); }

}  // namespace tribar::app
