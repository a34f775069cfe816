// Reads GGUF metadata values: every type of the format except arrays of arrays.
//
// Errors: kDataLoss for values that are cut, out of range or too many, kUnimplemented for nested arrays.
// Threads: one per reader.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "format/byte_cursor.h"
#include "format/gguf/gguf_types.h"
#include "format/metadata.h"

namespace tribar::format::gguf {

class ValueReader {
 public:
  // `cursor` must outlive the reader.
  explicit ValueReader(ByteCursor& cursor) : cursor_(cursor) {}

  // The type number and the value after it.
  Result<MetaValue> read();

 private:
  Result<MetaValue> read_scalar(ValueType type);
  Result<MetaValue> read_array();

  ByteCursor& cursor_;
  uint64_t array_elements_left_ = kMaxArrayElements;
};

}  // namespace tribar::format::gguf
