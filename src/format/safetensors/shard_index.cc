#include "format/safetensors/shard_index.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "base/mapped_file.h"
#include "format/json/json_scan.h"
#include "format/printable.h"
#include "format/split_name.h"
#include "format/tensor_layout.h"

namespace tribar::format::safetensors {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".safetensors";
constexpr size_t kMaxIndexBytes = 32 << 20;

// A shard lies in the model's own directory: no path parts, so that an index cannot reach other files.
bool is_plain_name(std::string_view name) {
  return name.size() > kExtension.size() && name.ends_with(kExtension) && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

class IndexSink : public JsonSink {
 public:
  ShardList list;
  bool has_map = false;

  Status begin_object() override {
    if (++depth_ == 2 && in_map()) has_map = true;
    return depth_ == 3 && in_map() ? wrong() : Status();
  }
  Status end_object() override {
    --depth_;
    return {};
  }
  Status begin_array() override { return in_map() || depth_ == 0 ? wrong() : Status(); }
  Status key(std::string_view key) override {
    (depth_ == 1 ? section_ : tensor_) = key;
    return {};
  }
  Status value(const JsonScalar& value) override {
    if (depth_ == 0 || (depth_ == 1 && in_map())) return wrong();
    if (!in_map()) return {};
    const auto* file = std::get_if<std::string_view>(&value);
    if (file == nullptr || tensor_.empty() || tensor_.size() > kMaxNameBytes) return wrong();
    if (!is_plain_name(*file))
      return data_loss("the index names " + in_quotes(*file) + ", which is no shard file name");
    if (list.file_of_tensor.size() == kMaxTensors) return data_loss("the index names too many tensors");
    list.file_of_tensor.emplace(tensor_, *file);
    files_.emplace(*file);
    return {};
  }

  std::vector<std::string> files() const { return {files_.begin(), files_.end()}; }

 private:
  bool in_map() const { return section_ == "weight_map"; }
  static Status wrong() { return data_loss("the index is not of the form {\"weight_map\": {tensor: file}}"); }

  int depth_ = 0;
  std::string section_;
  std::string tensor_;
  std::set<std::string> files_;
};

// The files of a directory without index and without model.safetensors.
Result<ShardList> shards_by_name(const std::string& directory) {
  ShardList list;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (name.ends_with(kExtension)) list.files.push_back(std::move(name));
  }
  if (error) return invalid_argument("cannot list the directory: " + error.message());
  std::sort(list.files.begin(), list.files.end());
  if (list.files.empty()) return not_found("there is no .safetensors file in the directory");
  const std::optional<SplitName> set = parse_split_name(list.files[0], kExtension);
  if (!set) {
    if (list.files.size() == 1) return list;
    return invalid_argument("there are " + std::to_string(list.files.size()) + " .safetensors files and no " +
                            kIndexFile);
  }
  for (uint32_t part = 1; part <= set->count; ++part) {
    const std::string name = set->part_name(part, kExtension);
    if (!std::binary_search(list.files.begin(), list.files.end(), name))
      return not_found("the shard " + in_quotes(name) + " is missing");
  }
  if (list.files.size() != set->count) return invalid_argument("there are .safetensors files of more than one model");
  return list;
}

}  // namespace

bool is_shard_name(std::string_view file_name) { return parse_split_name(file_name, kExtension).has_value(); }

Result<ShardList> parse_index(std::string_view text) {
  IndexSink sink;
  TRIBAR_RETURN_IF_ERROR(scan_json(text, sink));
  if (!sink.has_map || sink.list.file_of_tensor.empty()) return data_loss("the index has no weight_map");
  sink.list.files = sink.files();
  return std::move(sink.list);
}

Result<ShardList> find_shards(const std::string& directory) {
  const fs::path folder(directory);
  std::error_code ignored;
  if (fs::exists(folder / kIndexFile, ignored)) {
    Result<std::string> text = read_text_file((folder / kIndexFile).string(), kMaxIndexBytes);
    if (!text.ok()) return text.status().with_context(kIndexFile);
    Result<ShardList> list = parse_index(*text);
    if (!list.ok()) return list.status().with_context(kIndexFile);
    for (const std::string& file : list->files) {
      if (!fs::exists(folder / file, ignored)) {
        return not_found("the shard " + in_quotes(file) + " is named in " + kIndexFile + " but missing");
      }
    }
    return list;
  }
  if (fs::exists(folder / "model.safetensors", ignored)) return ShardList{{"model.safetensors"}, {}};
  return shards_by_name(directory);
}

}  // namespace tribar::format::safetensors
