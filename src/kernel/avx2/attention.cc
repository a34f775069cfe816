#include "kernel/flash/attention-inl.h"

#include "kernel/avx2/attention.h"
#include "kernel/avx2/vec.h"

namespace tribar::kernel::avx2 {

void attention(const AttentionArgs& args, Shard shard) { flash::Attention<Avx2>::run(args, shard); }

}  // namespace tribar::kernel::avx2
