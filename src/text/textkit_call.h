// Small wrappers around the C ABI of rust/textkit: spans as TkBytes, codes as Status, memory given back.
//
//   TkBuffer error{};
//   const int32_t code = tk_...(as_bytes(text), &handle, &error);
//   if (code != kTkOk) return to_status(code, take(error));
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "text/textkit.h"

namespace tribar::text {

inline TkBytes as_bytes(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view as_view(TkBytes bytes) { return {bytes.data, bytes.size}; }

// The buffer's text; the buffer is freed.
inline std::string take(TkBuffer buffer) {
  std::string text;
  if (buffer.data != nullptr) text.assign(buffer.data, buffer.size);
  tk_buffer_free(buffer);
  return text;
}

inline Status to_status(int32_t code, std::string message) {
  switch (code) {
    case kTkOk: return {};
    case kTkDataLoss: return data_loss(std::move(message));
    case kTkUnimplemented: return unimplemented(std::move(message));
    case kTkLimit:
    case kTkTemplateLimit: return resource_exhausted(std::move(message));
    case kTkInternal: return internal_error(std::move(message));
    default: return invalid_argument(std::move(message));
  }
}

}  // namespace tribar::text
