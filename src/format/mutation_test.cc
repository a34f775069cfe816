// Thousands of damaged files that are almost right: numbers replaced by the ones that break parsers, bits flipped, runs
// removed, repeated or cut. Each must be refused, or accepted with every promise of the readers kept; and parsing may
// never take more memory than a small multiple of the file.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "format/gguf/gguf_reader.h"
#include "format/json/flatten.h"
#include "format/safetensors/safetensors_header.h"
#include "format/testing/allocation_watch.h"
#include "format/testing/file_checks.h"
#include "format/testing/sample_files.h"

namespace tribar::format {
namespace {

using Bytes = std::vector<std::byte>;

class Mutator {
 public:
  // Only the first `description_bytes` are damaged: the rest is numbers without meaning to a reader.
  Mutator(Bytes original, size_t description_bytes)
      : original_(std::move(original)), description_bytes_(description_bytes) {}

  Bytes next() {
    Bytes bytes = original_;
    const size_t changes = 1 + below(3);
    for (size_t i = 0; i < changes && bytes.size() > 16; ++i) mutate(bytes);
    return bytes;
  }

 private:
  size_t below(size_t limit) { return random_() % limit; }
  size_t place(const Bytes& bytes) { return below(std::min(description_bytes_, bytes.size())); }

  void mutate(Bytes& bytes) {
    const size_t at = place(bytes);
    switch (below(6)) {
      case 0: bytes[at] ^= static_cast<std::byte>(1u << below(8)); break;
      case 1: overwrite(bytes, at, 8); break;
      case 2: overwrite(bytes, at, 4); break;
      case 3:
        bytes.erase(iterator_at(bytes, at), iterator_at(bytes, std::min(at + 1 + below(40), bytes.size())));
        break;
      case 4: {
        const Bytes run(iterator_at(bytes, at), iterator_at(bytes, std::min(at + 1 + below(40), bytes.size())));
        bytes.insert(iterator_at(bytes, at), run.begin(), run.end());
        break;
      }
      default: bytes.resize(std::max<size_t>(at, 16)); break;
    }
  }

  void overwrite(Bytes& bytes, size_t at, size_t width) {
    const uint64_t wild[] = {0,
                             1,
                             2,
                             3,
                             31,
                             33,
                             255,
                             65536,
                             bytes.size(),
                             bytes.size() + 1,
                             INT32_MAX,
                             uint64_t{INT32_MAX} + 1,
                             UINT32_MAX,
                             uint64_t{1} << 32,
                             uint64_t{1} << 60,
                             INT64_MAX,
                             uint64_t{1} << 63,
                             UINT64_MAX};
    const uint64_t value = wild[below(std::size(wild))];
    const std::span<const std::byte> from = std::as_bytes(std::span(&value, 1));
    std::copy_n(from.begin(), std::min(width, bytes.size() - at), iterator_at(bytes, at));
  }

  static Bytes::iterator iterator_at(Bytes& bytes, size_t index) {
    return bytes.begin() + static_cast<ptrdiff_t>(index);
  }

  Bytes original_;
  size_t description_bytes_;
  std::mt19937 random_{20260101};
};

struct Outcome {
  Status status;
  std::vector<TensorEntry> tensors;
};

void run_mutations(Mutator mutator, int count, const std::function<Outcome(std::span<const std::byte>)>& read) {
  int accepted = 0;
  for (int i = 0; i < count; ++i) {
    const Bytes bytes = mutator.next();
    const testing::AllocationWatch watch;
    const Outcome outcome = read(bytes);
    ASSERT_LT(watch.peak_bytes(), 24 * bytes.size() + 65536) << "file " << i << " of " << bytes.size() << " bytes";
    if (!outcome.status.ok()) {
      ASSERT_EQ(outcome.status.message().find('\n'), std::string::npos) << i;
      ASSERT_LT(outcome.status.message().size(), 600u) << i;
      continue;
    }
    ++accepted;
    ASSERT_EQ(testing::broken_promise(bytes, outcome.tensors), "") << "file " << i;
  }
  // Both ends of the parser were reached.
  EXPECT_GT(accepted, count / 500);
  EXPECT_LT(accepted, count / 2);
}

TEST(Mutation, Gguf) {
  const Bytes sample = testing::sample_gguf();
  const Result<gguf::ParsedFile> parsed = gguf::parse(sample);
  ASSERT_TRUE(parsed.ok());
  run_mutations(Mutator(sample, parsed->data_offset_bytes), 20'000, [](std::span<const std::byte> bytes) {
    Result<gguf::ParsedFile> file = gguf::parse(bytes);
    return file.ok() ? Outcome{{}, std::move(file->tensors)} : Outcome{file.status(), {}};
  });
}

TEST(Mutation, Safetensors) {
  const Bytes sample = testing::sample_safetensors();
  run_mutations(Mutator(sample, sample.size() - 38), 20'000, [](std::span<const std::byte> bytes) {
    Result<std::vector<TensorEntry>> tensors = safetensors::parse(bytes);
    return tensors.ok() ? Outcome{{}, std::move(*tensors)} : Outcome{tensors.status(), {}};
  });
}

TEST(Mutation, Config) {
  constexpr std::string_view kConfig =
      R"({"architectures":["LlamaForCausalLM"],"eos_token_id":[1,2],"rope_scaling":{"factor":8.0,"type":"llama3"},)"
      R"("nested":[[1],{"a":null,"b":[true,false]}],"hidden_size":64,"rms_norm_eps":1e-05,"tie_word_embeddings":true})";
  const std::span<const std::byte> text = std::as_bytes(std::span(kConfig));
  run_mutations(Mutator(Bytes(text.begin(), text.end()), text.size()), 20'000, [](std::span<const std::byte> bytes) {
    Metadata metadata;
    return Outcome{flatten_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "", metadata), {}};
  });
}

}  // namespace
}  // namespace tribar::format
