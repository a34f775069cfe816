// libFuzzer target for the JSON of model directories: config.json and the index of shards.
#include <string_view>

#include "format/json/flatten.h"
#include "format/safetensors/shard_index.h"
#include "format/testing/fuzz_seed.h"

namespace {

constexpr std::string_view kSeed =
    R"({"architectures":["L"],"eos":[1,2.5],"rope":{"factor":8.0,"x":null},"n":[[1],{"a":[true]}],"e":1e-05,)"
    R"("weight_map":{"a.weight":"model-00001-of-00002.safetensors"}})";

}  // namespace

TRIBAR_FUZZ_SEED(std::as_bytes(std::span(kSeed)))

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  tribar::format::Metadata metadata;
  // The results are of no interest, only that there are some.
  (void)tribar::format::flatten_json(text, "p.", metadata).ok();
  (void)tribar::format::safetensors::parse_index(text).ok();
  return 0;
}
