#include "kernel/flash/attention-inl.h"

#include "kernel/avx512/attention.h"
#include "kernel/avx512/vec.h"

namespace tribar::kernel::avx512 {

void attention(const AttentionArgs& args, Shard shard) { flash::Attention<Avx512>::run(args, shard); }

}  // namespace tribar::kernel::avx512
