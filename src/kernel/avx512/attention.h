// Internal to avx512/. Threads: see kernel/args.h.
#pragma once

#include "base/thread_team.h"
#include "kernel/args.h"

namespace tribar::kernel::avx512 {

void attention(const AttentionArgs& args, Shard shard);

}  // namespace tribar::kernel::avx512
