// Reading what the user hands to a command: a file or standard input.
//
//   TRIBAR_ASSIGN_OR_RETURN(std::string text, read_text("-"));   // "-" is standard input
//   for (std::string_view line : split_lines(text)) ...
//
// Errors: kNotFound (names the file and the reason), kInvalidArgument for a folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace tribar::app {

Result<std::string> read_text(const std::string& path);
// Without the newlines ("\n" or "\r\n"); a newline at the very end does not begin another line.
std::vector<std::string_view> split_lines(std::string_view text);

}  // namespace tribar::app
