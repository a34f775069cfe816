// The generic kernels: portable code that the compiler turns into vectors of the width it is told to use.
//
// These files are compiled once for the baseline and once for each x86 set, every time in another namespace
// (TRIBAR_GENERIC), so avx2/ and avx512/ start from the same algorithms in full width. Operators whose time does not
// matter (rope_table, embed, gather_rows) are taken from reference/.
#pragma once

#include <span>

#include "base/thread_team.h"
#include "kernel/args.h"
#include "kernel/isa_kernels.h"

namespace tribar::kernel::TRIBAR_GENERIC {

void linear_exact(const LinearArgs& args, Shard shard);
void linear_fast(const LinearArgs& args, Shard shard);
void quantize(const QuantizeArgs& args, Shard shard);
void rms_norm(const RmsNormArgs& args, Shard shard);
void layer_norm(const LayerNormArgs& args, Shard shard);
void add(const AddArgs& args, Shard shard);
void scale(const ScaleArgs& args, Shard shard);
void softcap(const SoftcapArgs& args, Shard shard);
void activate(const ActivateArgs& args, Shard shard);
void glu(const GluArgs& args, Shard shard);
void rope(const RopeArgs& args, Shard shard);
void kv_append(const KvAppendArgs& args, Shard shard);
void attention(const AttentionArgs& args, Shard shard);

}  // namespace tribar::kernel::TRIBAR_GENERIC
