// Token ids on the command line: "1,2,3".
//
// Errors: kInvalidArgument naming the part that is not a number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace tribar::app {

Result<std::vector<int32_t>> parse_token_list(std::string_view text);

}  // namespace tribar::app
