// What `tribar inspect` shows of a model: files, metadata, tensors, totals by type, chat template; as text or JSON.
//
//   std::string text = inspect_text(*files, template_source, InspectLength::kShort);
//
// Text from the file is made harmless for a terminal. Long arrays (vocabularies) are shown by their first elements
// unless kFull is asked for; in JSON such an array is {"count": N, "first": [...]}.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "format/model_files.h"

namespace tribar::app {

enum class InspectLength : uint8_t { kShort, kFull };

std::string inspect_text(const format::ModelFiles& files, const std::string& chat_template, InspectLength length);
// One object: files, container, metadata, tensors, types, tensor_bytes, chat_template.
std::string inspect_json(const format::ModelFiles& files, const std::string& chat_template, InspectLength length);

// "98.4 MB": three digits, decimal units.
std::string format_bytes(uint64_t bytes);

}  // namespace tribar::app
