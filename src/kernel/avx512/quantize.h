// Activations to Q8Act with AVX-512. Internal to avx512/. Threads: see kernel/args.h.
#pragma once

#include "base/thread_team.h"
#include "kernel/args.h"

namespace tribar::kernel::avx512 {

void quantize(const QuantizeArgs& args, Shard shard);

}  // namespace tribar::kernel::avx512
