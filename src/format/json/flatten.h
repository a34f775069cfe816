// flatten_json: a JSON object such as config.json as Metadata, nested keys joined with dots.
//
//   {"rope_scaling": {"factor": 8.0}, "eos_token_id": [1, 2]}
//     → "rope_scaling.factor" = 8.0, "eos_token_id" = [1, 2]
//
// Nulls vanish. An array of scalars of one kind (ints and doubles mix to doubles) is one value; any other array becomes
// key.0, key.1, ... The rules are those that format/metadata.h promises.
// Errors: kDataLoss (no valid JSON, not an object, two spellings of one flattened key), kResourceExhausted (too long).
// Threads: pure function.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "format/metadata.h"

namespace tribar::format {

// The largest published config.json has under 100 kB.
inline constexpr size_t kMaxConfigBytes = 1 << 20;

// Adds the members of the object to `out`, each key behind `prefix`.
Status flatten_json(std::string_view text, const std::string& prefix, Metadata& out);

}  // namespace tribar::format
