// Parses one GGUF file (version 2 or 3, little-endian) that lies in memory into an owned, checked table.
//
//   TRIBAR_ASSIGN_OR_RETURN(gguf::ParsedFile file, gguf::parse(mapped.bytes()));
//
// Everything is checked before anything is allocated for it: counts against the bytes left, types against their tables,
// keys and tensor names for duplicates, tensors for sizes, bounds and overlap. What the result says about the bytes is
// true.
// Errors: kDataLoss (damaged, with the place), kUnimplemented (big-endian, other version, tensor type; named).
// Threads: pure function; the entries' `bytes` point into `bytes`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "format/metadata.h"
#include "format/weight_index.h"

namespace tribar::format::gguf {

struct ParsedFile {
  uint32_t version = 0;
  uint64_t alignment = 0;
  uint64_t data_offset_bytes = 0;
  Metadata metadata;
  std::vector<TensorEntry> tensors;  // in file order; TensorEntry::file is 0
};

Result<ParsedFile> parse(std::span<const std::byte> bytes);

}  // namespace tribar::format::gguf
