// The linear kernels of AMX, in files of a few types each so that they compile in parallel. Internal to amx/.
// Threads: constants.
#pragma once

#include <span>

#include "kernel/isa_kernels.h"

namespace tribar::kernel::amx {

std::span<const LinearEntry> linear_nibbles();     // Q4_0 Q4_1 Q4_K
std::span<const LinearEntry> linear_five_bits();   // Q5_0 Q5_1 Q5_K
std::span<const LinearEntry> linear_wide();        // Q6_K Q8_0
std::span<const LinearEntry> linear_code_books();  // IQ4_NL IQ4_XS MXFP4
std::span<const LinearEntry> linear_narrow();      // Q2_K Q3_K

}  // namespace tribar::kernel::amx
