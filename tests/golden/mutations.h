// What golden.json's `sensitivity` leaves out, as changes of a model in memory: dropping a weight or flipping a switch.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "golden/golden_data.h"
#include "golden/golden_file.h"

namespace tribar::golden {

enum class MutationResult {
  kDone,
  kNotExpressible,  // this container has no key for it
  kUnknown,         // a label that mutations.cc does not know
};

// Applies the mutation with this label of `sensitivity` to the model.
MutationResult mutate(const std::string& family, const std::string& label, const GoldenData& data, Spelling spelling,
                      GoldenFile* file);

}  // namespace tribar::golden
