// LogitsCheck: whether every logit of a step is a number. A damaged file can hold NaN or infinite weights; what
// comes of them must reach the caller as an error, not as a token.
//
//   check.start();  team->run([&](Shard s) { check.run(logits, s); });  TRIBAR_RETURN_IF_ERROR(check.status());
//
// Threads: run by every member of a team, start and status by their caller.
#pragma once

#include <atomic>

#include "base/status.h"
#include "base/thread_team.h"
#include "tensor/view.h"

namespace tribar::runtime {

class LogitsCheck {
 public:
  void start() { damaged_.store(false, std::memory_order_relaxed); }
  void run(const TensorView& logits, Shard shard);
  Status status() const;

 private:
  std::atomic<bool> damaged_{false};
};

}  // namespace tribar::runtime
