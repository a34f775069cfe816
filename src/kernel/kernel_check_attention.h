// The attention part of the kernel self-test: a paged cache is filled and read, against the reference. Internal to
// kernel/. Threads: any.
#pragma once

#include "kernel/table.h"

namespace tribar::kernel {

struct AttentionErrors {
  double append_bytes = 0;  // bytes of the cache that differ
  double attend = 0;        // largest absolute error of the outputs
};
AttentionErrors attention_errors(const KernelTable& table);

}  // namespace tribar::kernel
