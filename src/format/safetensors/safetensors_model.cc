#include "format/safetensors/safetensors_model.h"

#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "format/json/flatten.h"
#include "format/printable.h"
#include "format/safetensors/safetensors_header.h"
#include "format/safetensors/shard_index.h"

namespace tribar::format::safetensors {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kSideFiles = {"tokenizer.json", "tokenizer_config.json",
                                                        "chat_template.jinja", "special_tokens_map.json"};
// The largest published tokenizer.json has 34 MB.
constexpr size_t kMaxSideFileBytes = 128 << 20;

class SafetensorsModel : public ModelFiles {
 public:
  Container container() const override { return Container::kSafetensors; }
  const Metadata& metadata() const override { return metadata_; }
  const WeightIndex& weights() const override { return weights_; }
  const std::vector<FileInfo>& files() const override { return files_; }

  const std::string& side_file(std::string_view name) const override {
    static const std::string none;
    const auto found = side_files_.find(name);
    return found != side_files_.end() ? found->second : none;
  }

  void drop_pages(std::span<const std::byte> bytes) const override {
    for (const MappedFile& file : mapped_) file.drop_pages(bytes);
  }

  Status read_configs(const fs::path& folder) {
    TRIBAR_RETURN_IF_ERROR(read_config(folder, "config.json", ""));
    std::error_code ignored;
    if (fs::exists(folder / "generation_config.json", ignored)) {
      TRIBAR_RETURN_IF_ERROR(read_config(folder, "generation_config.json", "generation_config."));
    }
    return {};
  }

  Status read_side_files(const fs::path& folder) {
    std::error_code ignored;
    for (const std::string_view name : kSideFiles) {
      if (!fs::exists(folder / name, ignored)) continue;
      Result<std::string> text = read_text_file((folder / name).string(), kMaxSideFileBytes);
      if (!text.ok()) return text.status().with_context(name);
      side_files_.emplace(name, std::move(*text));
    }
    return {};
  }

  Status add_weights(const fs::path& folder, const ShardList& shards) {
    for (const std::string& file : shards.files) {
      TRIBAR_RETURN_IF_ERROR(add_file((folder / file).string(), file));
    }
    for (const auto& [tensor, file] : shards.file_of_tensor) {
      const TensorEntry* entry = weights_.find(tensor);
      if (entry == nullptr || shards.files[static_cast<size_t>(entry->file)] != file) {
        return data_loss("the index says that " + in_quotes(tensor) + " is in " + in_quotes(file) + ", but it is not");
      }
    }
    return {};
  }

 private:
  Status read_config(const fs::path& folder, const std::string& name, const std::string& prefix) {
    const Result<std::string> text = read_text_file((folder / name).string(), kMaxConfigBytes);
    if (!text.ok()) return text.status().with_context(name);
    return flatten_json(*text, prefix, metadata_).with_context(name);
  }

  Status add_file(const std::string& path, const std::string& name) {
    Result<MappedFile> mapped = MappedFile::open(path);
    if (!mapped.ok()) return mapped.status().with_context(name);
    Result<std::vector<TensorEntry>> tensors = parse(mapped->bytes());
    if (!tensors.ok()) return tensors.status().with_context(name);
    for (TensorEntry& tensor : *tensors) {
      tensor.file = static_cast<int>(files_.size());
      const std::string tensor_name = tensor.name;
      if (!weights_.add(std::move(tensor)))
        return data_loss(name + ": the tensor " + in_quotes(tensor_name) + " is in two files");
    }
    files_.push_back({path, mapped->bytes().size()});
    mapped_.push_back(std::move(*mapped));
    return {};
  }

  std::vector<MappedFile> mapped_;
  std::vector<FileInfo> files_;
  Metadata metadata_;
  WeightIndex weights_;
  std::map<std::string, std::string, std::less<>> side_files_;
};

Result<std::unique_ptr<ModelFiles>> open_shards(const fs::path& folder, const ShardList& shards) {
  auto model = std::make_unique<SafetensorsModel>();
  TRIBAR_RETURN_IF_ERROR(model->read_configs(folder));
  TRIBAR_RETURN_IF_ERROR(model->add_weights(folder, shards));
  TRIBAR_RETURN_IF_ERROR(model->read_side_files(folder));
  return std::unique_ptr<ModelFiles>(std::move(model));
}

}  // namespace

Result<std::unique_ptr<ModelFiles>> open_directory(const std::string& directory) {
  TRIBAR_ASSIGN_OR_RETURN(const ShardList shards, find_shards(directory));
  return open_shards(directory, shards);
}

Result<std::unique_ptr<ModelFiles>> open_file(const std::string& path) {
  const fs::path file(path);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const std::string name = file.filename().string();
  if (is_shard_name(name)) return open_directory(folder.string());
  return open_shards(folder, ShardList{{name}, {}});
}

}  // namespace tribar::format::safetensors
