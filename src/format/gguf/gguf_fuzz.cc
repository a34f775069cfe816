// libFuzzer target for the GGUF reader: any bytes are refused or give tensors that keep every promise.
#include <cstdlib>

#include "base/status.h"
#include "format/gguf/gguf_reader.h"
#include "format/testing/file_checks.h"
#include "format/testing/fuzz_seed.h"
#include "format/testing/sample_files.h"

namespace {

// Small enough for the fuzzer's default length; one tensor of a plain and one of a block type.
std::vector<std::byte> seed_file() {
  using namespace tribar;
  format::GgufWriter writer;
  writer.set("general.architecture", std::string("llama"));
  writer.set("general.alignment", int64_t{32});
  writer.set("a", std::vector<std::string>{"x", "yy"});
  writer.set("b", std::vector<int64_t>{1, -2});
  writer.set("c", 0.1);
  writer.set("d", std::vector<bool>{true});
  const std::vector<std::byte> data = format::testing::pattern_bytes(288, 1);
  writer.add_tensor({"t", DType::kF32, {2, 4}, std::span(data).first(32)});
  writer.add_tensor({"q", DType::kQ4_K, {2, 256}, data});
  return writer.build();
}

}  // namespace

TRIBAR_FUZZ_SEED(seed_file())

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  const tribar::Result<tribar::format::gguf::ParsedFile> file = tribar::format::gguf::parse(bytes);
  if (file.ok()) {
    const std::string broken = tribar::format::testing::broken_promise(bytes, file->tensors);
    TRIBAR_CHECK_MSG(broken.empty(), broken);
  }
  return 0;
}
