// libFuzzer target for the safetensors reader: any bytes are refused or give tensors that keep every promise.
#include "base/status.h"
#include "format/safetensors/safetensors_header.h"
#include "format/testing/file_checks.h"
#include "format/testing/fuzz_seed.h"
#include "format/testing/sample_files.h"

TRIBAR_FUZZ_SEED(tribar::format::testing::sample_safetensors())

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto tensors = tribar::format::safetensors::parse(bytes);
  if (tensors.ok()) {
    const std::string broken = tribar::format::testing::broken_promise(bytes, *tensors);
    TRIBAR_CHECK_MSG(broken.empty(), broken);
  }
  return 0;
}
