// Lists of numbers on the command line, as llama-bench takes them: "512", "0,128,512", "0-4096+1024", "128-1024*2".
//
// Errors: kInvalidArgument naming the part that is wrong. Numbers are 0 to 2^24; a list has at most 1,000 of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace tribar::app {

Result<std::vector<int64_t>> parse_number_list(std::string_view text);

}  // namespace tribar::app
