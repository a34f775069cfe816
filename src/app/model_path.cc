#include "app/model_path.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include "app/suggest.h"
#include "format/printable.h"
#include "format/split_name.h"

namespace tribar::app {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::vector<std::string> split_folders(const std::string& list) {
  std::vector<std::string> folders;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) folders.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

uint64_t size_of(const fs::path& path) {
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  return error ? 0 : size;
}

// Bytes of the .safetensors files of a model directory.
uint64_t weights_size(const fs::path& directory) {
  uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".safetensors") total += size_of(it->path());
  }
  return total;
}

// The model that an entry of a model folder is: a GGUF file, the first part of a split one, a directory with
// config.json.
std::optional<ListedModel> model_at(const fs::path& path) {
  constexpr std::string_view kExtension = ".gguf";
  std::error_code ignored;
  const std::string file = path.filename().string();
  if (file.starts_with('.')) return std::nullopt;
  if (fs::is_directory(path, ignored)) {
    if (!fs::exists(path / "config.json", ignored)) return std::nullopt;
    return ListedModel{file, path.string(), weights_size(path)};
  }
  if (!file.ends_with(kExtension)) return std::nullopt;
  const std::optional<format::SplitName> part = format::parse_split_name(path.string(), kExtension);
  if (!part) return ListedModel{file.substr(0, file.size() - kExtension.size()), path.string(), size_of(path)};
  if (part->number != 1) return std::nullopt;
  uint64_t size = 0;
  for (uint32_t number = 1; number <= part->count; ++number) size += size_of(part->part_name(number, kExtension));
  return ListedModel{fs::path(part->prefix).filename().string(), path.string(), size};
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ", ";
    out += word;
  }
  return out;
}

Status unknown_model(const std::string& model, const std::vector<std::string>& names,
                     const std::vector<std::string>& folders) {
  const std::string what = "no model named " + format::in_quotes(model);
  if (model.find('/') != std::string::npos || model.ends_with(".gguf") || model.ends_with(".safetensors")) {
    return not_found("no such file or directory: " + format::printable(model, 4096));
  }
  if (names.empty())
    return not_found(what + ": there are no models in " + joined(folders) + " (scripts/fetch_models fetches some)");
  const std::vector<std::string> close = closest(model, names);
  if (!close.empty()) return not_found(what + ", did you mean: " + joined(close) + "?");
  return not_found(what + "; 'tribar list' shows what there is");
}

}  // namespace

std::vector<std::string> model_folders(const std::string& given) {
  if (!given.empty()) return {given};
  if (const std::string set = environment("TRIBAR_MODELS"); !set.empty()) return split_folders(set);
  std::string data = environment("XDG_DATA_HOME");
  if (data.empty()) data = environment("HOME") + "/.local/share";
  return {data + "/tribar/models"};
}

std::vector<ListedModel> list_models(const std::vector<std::string>& folders) {
  std::vector<ListedModel> models;
  const auto has = [&](const std::string& name) {
    return std::any_of(models.begin(), models.end(), [&](const ListedModel& model) { return model.name == name; });
  };
  for (const std::string& folder : folders) {
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      std::optional<ListedModel> model = model_at(it->path());
      if (model && !has(model->name)) models.push_back(std::move(*model));
    }
  }
  std::sort(models.begin(), models.end(), [](const ListedModel& a, const ListedModel& b) { return a.name < b.name; });
  return models;
}

Result<std::string> resolve_model(const std::string& model, const std::vector<std::string>& folders) {
  std::error_code ignored;
  if (fs::exists(model, ignored)) return model;
  const std::vector<ListedModel> models = list_models(folders);
  const std::string wanted = lower(model);
  std::vector<std::string> names;
  std::vector<const ListedModel*> beginning_so;
  for (const ListedModel& listed : models) {
    const std::string name = lower(listed.name);
    if (name == wanted) return listed.path;
    names.push_back(listed.name);
    if (!wanted.empty() && name.starts_with(wanted)) beginning_so.push_back(&listed);
  }
  if (beginning_so.size() == 1) return beginning_so[0]->path;
  if (beginning_so.size() > 1) {
    std::vector<std::string> fitting;
    for (const ListedModel* listed : beginning_so) fitting.push_back(listed->name);
    return invalid_argument("several models begin with " + format::in_quotes(model) + ": " + joined(fitting));
  }
  return unknown_model(model, names, folders);
}

}  // namespace tribar::app
