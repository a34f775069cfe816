// write_file: a whole file at once, complete or not at all (written beside the target, then renamed over it).
//
//   TRIBAR_RETURN_IF_ERROR(write_file("model.gguf", bytes));
//
// Errors: kInvalidArgument or kResourceExhausted (no space) with the reason; the path is the caller's to name.
// Threads: any; two writers of one path leave one of the two contents.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/status.h"

namespace tribar {

Status write_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace tribar
