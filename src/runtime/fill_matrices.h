// Packs (or copies) every matrix of a plan, in slices shared out over the team, and gives source pages back as it goes.
//
//   TRIBAR_RETURN_IF_ERROR(fill_matrices(plan, options, packed.data(), team));
//
// Members take the next slice when they are done with one, so a slow core holds nobody up. Beside the packed form no
// more of the file is in memory than one slice a member: at most a 32nd of all source bytes together.
// options.progress is called by the calling thread only. Errors: kCancelled when it returns false, kResourceExhausted.
// Threads: one caller.
#pragma once

#include <cstddef>

#include "base/status.h"
#include "base/thread_team.h"
#include "runtime/weight_plan.h"
#include "runtime/weight_store.h"

namespace tribar::runtime {

// `packed`: plan.packed_bytes bytes, 64-byte aligned.
Status fill_matrices(const WeightPlan& plan, const WeightStoreOptions& options, std::byte* packed, ThreadTeam* team);

}  // namespace tribar::runtime
