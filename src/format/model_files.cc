#include "format/model_files.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <optional>

#include "base/mapped_file.h"
#include "format/gguf/gguf_model.h"
#include "format/gguf/gguf_types.h"
#include "format/printable.h"
#include "format/safetensors/safetensors_model.h"
#include "format/split_name.h"

namespace tribar::format {
namespace {

namespace fs = std::filesystem;

struct DirectoryContent {
  bool has_config = false;
  bool has_safetensors = false;
  std::vector<std::string> gguf_files;  // of a split model the first part that is there
};

Result<DirectoryContent> list_directory(const std::string& directory) {
  DirectoryContent content;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  if (error) return invalid_argument("cannot list the directory: " + error.message());
  std::sort(names.begin(), names.end());
  std::string last_set;
  for (const std::string& name : names) {
    content.has_config |= name == "config.json";
    content.has_safetensors |= name.ends_with(".safetensors") || name.ends_with(".safetensors.index.json");
    if (!name.ends_with(".gguf")) continue;
    const std::optional<SplitName> part = parse_split_name(name, ".gguf");
    const std::string set = part ? part->part_name(1, ".gguf") : "";
    if (!part || set != last_set) content.gguf_files.push_back(name);
    last_set = set;
  }
  return content;
}

Result<std::unique_ptr<ModelFiles>> open_directory(const std::string& directory) {
  TRIBAR_ASSIGN_OR_RETURN(const DirectoryContent content, list_directory(directory));
  if (content.has_safetensors && (content.has_config || content.gguf_files.empty())) {
    return safetensors::open_directory(directory);
  }
  if (content.gguf_files.size() == 1) return gguf::open_file((fs::path(directory) / content.gguf_files[0]).string());
  if (content.gguf_files.empty()) return not_found("the directory holds no model (no .gguf, no .safetensors)");
  return invalid_argument("the directory holds " + std::to_string(content.gguf_files.size()) +
                          " GGUF models, name one of them: " + content.gguf_files[0] + ", " + content.gguf_files[1] +
                          (content.gguf_files.size() > 2 ? ", ..." : ""));
}

Result<std::unique_ptr<ModelFiles>> open_path(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return not_found("no such file or directory");
  if (error) return invalid_argument("cannot read: " + error.message());
  if (fs::is_directory(status)) return open_directory(path);
  const std::string name = fs::path(path).filename().string();
  if (name.ends_with(".safetensors")) return safetensors::open_file(path);
  if (name.ends_with(".gguf")) return gguf::open_file(path);
  // Any other name: by content.
  TRIBAR_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::open(path));
  const std::string_view head(reinterpret_cast<const char*>(file.bytes().data()),
                              std::min<size_t>(file.bytes().size(), 9));
  if (head.starts_with(gguf::kMagic)) return gguf::open_file(path);
  if (head.size() == 9 && head.substr(4, 5) == std::string_view("\0\0\0\0{", 5)) return safetensors::open_file(path);
  return data_loss("not a model file (neither GGUF nor safetensors)");
}

}  // namespace

Result<std::unique_ptr<ModelFiles>> open_model_files(const std::string& path) {
  const std::string name = printable(path, 4096);
  try {
    Result<std::unique_ptr<ModelFiles>> files = open_path(path);
    if (!files.ok()) return files.status().with_context(name);
    return files;
  } catch (const std::bad_alloc&) {
    return resource_exhausted("not enough memory to read the model's description").with_context(name);
  } catch (const std::exception& exception) {
    return internal_error(exception.what()).with_context(name);
  }
}

}  // namespace tribar::format
