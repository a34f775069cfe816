// Where the time of a benchmark's steps went, as a table and as JSON: one line a kind of operator, longest first, with
// the linear layers held against what the machine can do.
//
// Threads: pure functions.
#pragma once

#include <string>

#include "app/json_writer.h"
#include "runtime/op_profile.h"

namespace tribar::app {

struct OpCeilings {
  double stream_gbps = 0;  // 0: not measured
  double int8_gops = 0;
};

// Markdown. Milliseconds are those of one run (one step of the executor).
std::string op_table(const runtime::OpProfile& profile, const OpCeilings& ceilings);

// "ops":{"runs":...,"tokens":...,"wall_us":...,"other_us":...,"by_kind":[{"op":...,"detail":...,...}]}: microseconds of
// all runs.
void write_op_profile(const runtime::OpProfile& profile, JsonWriter* json);

}  // namespace tribar::app
