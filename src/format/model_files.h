// ModelFiles: an opened model, from a GGUF file (or its split parts) or a directory of safetensors with config.json.
//
//   TRIBAR_ASSIGN_OR_RETURN(std::unique_ptr<ModelFiles> files, open_model_files("model.gguf"));
//   files->metadata().get_string("general.architecture");
//   files->weights().find("output.weight");
//
// Accepted paths: a .gguf file (for a split one, any part: all are found beside it); a directory with config.json and
// model.safetensors, or model.safetensors.index.json and its shards, or single/sharded *.safetensors; a .safetensors
// file with config.json beside it; a directory holding exactly one GGUF model.
// Errors: kNotFound (missing file or shard, named), kDataLoss (damaged), kUnimplemented (named type, big-endian),
// always one line with the file's name. Bad bytes never crash and never allocate more than the file could justify.
// Threads: immutable after opening. Mapped memory is read-only; a file cut while in use is the operator's fault.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "format/metadata.h"
#include "format/weight_index.h"

namespace tribar::format {

enum class Container : uint8_t { kGguf, kSafetensors };

struct FileInfo {
  std::string path;
  uint64_t size_bytes = 0;
};

class ModelFiles {
 public:
  virtual ~ModelFiles() = default;

  virtual Container container() const = 0;
  // GGUF keys, or config.json flattened. Keys of generation_config.json are under "generation_config.".
  virtual const Metadata& metadata() const = 0;
  virtual const WeightIndex& weights() const = 0;
  virtual const std::vector<FileInfo>& files() const = 0;
  // Raw text of files beside the weights ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja",
  // "special_tokens_map.json"); empty if there is none. GGUF has none.
  virtual const std::string& side_file(std::string_view name) const = 0;
  // Tells the kernel that the pages of these source bytes will not be needed again (after packing).
  virtual void drop_pages(std::span<const std::byte> bytes) const = 0;
};

Result<std::unique_ptr<ModelFiles>> open_model_files(const std::string& path);

}  // namespace tribar::format
