#include "base/thread_team.h"

#include <atomic>
#include <csignal>
#include <system_error>
#include <thread>
#include <vector>

#include "base/available_cpus.h"
#include "base/status.h"

namespace tribar {
namespace {

// About 0.1 ms of `pause`: longer than the gap between two regions of a decode step (a futex wake-up costs 5..50 us),
// short enough that an idle team soon frees its cores.
constexpr int kSpinIterations = 3000;

// Two lines: the adjacent-line prefetcher pulls pairs.
constexpr size_t kCacheLinePair = 128;

void cpu_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Returns once `value` is no longer `old`; what was written before the change is then visible.
void wait_until_changed(const std::atomic<uint32_t>& value, uint32_t old, int spin_iterations) {
  for (int i = 0; i < spin_iterations; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    cpu_pause();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

namespace {

// Threads started while one lives take no signals but their own faults: the others are for the thread that waits for
// the user, and a handler that runs on another one would not end its wait.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

struct ThreadTeam::State {
  // Written by the caller before `epoch` moves, read by members after.
  void (*fn)(void*, Shard) = nullptr;
  void* context = nullptr;
  int size = 1;
  int spin_iterations = 0;
  bool stopping = false;
  std::vector<std::thread> workers;

  alignas(kCacheLinePair) std::atomic<uint32_t> epoch{0};  // one more for every region (and for the end)
  // The barrier reverses its sense with the lowest bit of `phase`; a counter shows the same and reads better.
  alignas(kCacheLinePair) std::atomic<uint32_t> phase{0};
  alignas(kCacheLinePair) std::atomic<int> arrived{0};

  void barrier() {
    if (size == 1) return;
    const uint32_t now = phase.load(std::memory_order_relaxed);  // cannot move before this member arrives
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 < size) {
      wait_until_changed(phase, now, spin_iterations);
      return;
    }
    arrived.store(0, std::memory_order_relaxed);
    phase.store(now + 1, std::memory_order_release);
    phase.notify_all();
  }

  void start_region() {
    epoch.fetch_add(1, std::memory_order_release);
    epoch.notify_all();
  }

  void work(int index) {
    for (uint32_t seen = 0;; ++seen) {
      wait_until_changed(epoch, seen, spin_iterations);
      if (stopping) return;
      fn(context, Shard{index, size});
      barrier();
    }
  }
};

ThreadTeam::ThreadTeam(int size) : state_(std::make_unique<State>()) {
  TRIBAR_CHECK(size >= 1);
  // With more members than processors a spinning member holds the core that the one it waits for needs.
  state_->spin_iterations = size <= available_cpus() ? kSpinIterations : 0;
  state_->workers.reserve(static_cast<size_t>(size - 1));
  const SignalsHeld held;
  try {
    for (int i = 1; i < size; ++i) {
      state_->workers.emplace_back([state = state_.get(), i] { state->work(i); });
    }
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
    // The process may start no more threads. Results do not depend on their number: go on with those there are.
  }
  state_->size = static_cast<int>(state_->workers.size()) + 1;  // members read it only after the first region starts
}

ThreadTeam::~ThreadTeam() {
  state_->stopping = true;
  state_->start_region();
  for (std::thread& worker : state_->workers) worker.join();
}

int ThreadTeam::size() const { return state_->size; }

void ThreadTeam::run_raw(void (*fn)(void*, Shard), void* context) {
  if (state_->size > 1) {
    state_->fn = fn;
    state_->context = context;
    state_->start_region();
  }
  fn(context, Shard{0, state_->size});
  state_->barrier();
}

void ThreadTeam::barrier() { state_->barrier(); }

}  // namespace tribar
