// tribar list: the models that can be named without a path.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "app/inspect_report.h"
#include "app/json_writer.h"
#include "app/model_path.h"
#include "format/printable.h"

namespace tribar::app {
namespace {

struct ListOptions {
  std::string models_folder;
  bool json = false;
};

void print_json(const std::vector<ListedModel>& models) {
  JsonWriter json;
  json.begin_array();
  for (const ListedModel& model : models) {
    json.begin_object()
        .key("name")
        .string(format::valid_utf8(model.name))
        .key("path")
        .string(format::valid_utf8(model.path));
    json.key("size_bytes").unsigned_integer(model.size_bytes).end_object();
  }
  json.end_array();
  std::printf("%s\n", json.text().c_str());
}

Status list(const ListOptions& options) {
  const std::vector<std::string> folders = model_folders(options.models_folder);
  const std::vector<ListedModel> models = list_models(folders);
  if (options.json) {
    print_json(models);
    return {};
  }
  size_t width = 0;
  for (const ListedModel& model : models) width = std::max(width, model.name.size());
  for (const ListedModel& model : models) {
    std::printf("%-*s  %8s  %s\n", static_cast<int>(width), format::printable(model.name, 4096).c_str(),
                format_bytes(model.size_bytes).c_str(), format::printable(model.path, 4096).c_str());
  }
  if (models.empty()) {
    for (const std::string& folder : folders)
      std::fprintf(stderr, "no models in %s\n", format::printable(folder, 4096).c_str());
    std::fprintf(stderr, "scripts/fetch_models fetches some; any path to a model works as well\n");
  }
  return {};
}

}  // namespace

Command add_list(CLI::App* root) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* parser = add_parser(root, "list", "List the models that can be named without a path",
                                "  tribar list\n"
                                "  tribar list --models-dir /data/models --json\n");
  parser->add_option("--models-dir", options->models_folder, "The folder to list, instead of $TRIBAR_MODELS")
      ->type_name("DIR");
  parser->add_flag("--json", options->json, "A JSON array of name, path and size_bytes");
  return {parser, [options] { return list(*options); }};
}

}  // namespace tribar::app
