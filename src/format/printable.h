// Text from a file made fit for a one-line message: control characters and bytes that are not UTF-8 text
// are escaped as \xNN, and long text is cut.
//
//   data_loss("tensor " + in_quotes(name) + " ends after the file")   // tensor 'blk.0.attn_q.weight' ends ...
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tribar::format {

std::string printable(std::string_view text, size_t max_bytes = 80);
// printable() between single quotes.
std::string in_quotes(std::string_view text);

// The text as UTF-8 for JSON: every byte that belongs to no character becomes U+FFFD, all else stays, control
// characters too.
std::string valid_utf8(std::string_view text);

}  // namespace tribar::format
