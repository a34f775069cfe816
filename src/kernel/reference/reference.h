// The reference kernels: scalar code that follows the formulas of kernel/args.h word for word, one file an operator.
//
// Sums are taken in double, so that a faster kernel that is off by more than fp32 rounding shows. They split the
// work by rows and keep every row independent of its neighbours, as all kernels must.
// Threads: called by every member of a team with its Shard.
#pragma once

#include "base/thread_team.h"
#include "kernel/args.h"

namespace tribar::kernel::reference {

void embed(const EmbedArgs& args, Shard shard);
void linear(const LinearArgs& args, Shard shard);
void quantize(const QuantizeArgs& args, Shard shard);
void rms_norm(const RmsNormArgs& args, Shard shard);
void layer_norm(const LayerNormArgs& args, Shard shard);
void add(const AddArgs& args, Shard shard);
void scale(const ScaleArgs& args, Shard shard);
void softcap(const SoftcapArgs& args, Shard shard);
void activate(const ActivateArgs& args, Shard shard);
void glu(const GluArgs& args, Shard shard);
void rope_table(const RopeTableArgs& args, Shard shard);
void rope(const RopeArgs& args, Shard shard);
void kv_append(const KvAppendArgs& args, Shard shard);
void attention(const AttentionArgs& args, Shard shard);
void gather_rows(const GatherRowsArgs& args, Shard shard);

}  // namespace tribar::kernel::reference
