// tribar inspect: what is in a model's files, without loading it.
#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "app/inspect_report.h"
#include "app/model_options.h"
#include "app/model_path.h"
#include "engine/tokenizer_source.h"
#include "format/model_files.h"

namespace tribar::app {
namespace {

struct InspectOptions {
  std::string model;
  std::string models_folder;
  bool json = false;
  bool full = false;
};

Status inspect(const InspectOptions& options) {
  TRIBAR_ASSIGN_OR_RETURN(const std::string path, resolve_model(options.model, model_folders(options.models_folder)));
  TRIBAR_ASSIGN_OR_RETURN(const std::unique_ptr<format::ModelFiles> files, format::open_model_files(path));
  const std::string chat_template = engine::chat_template_source(*files);
  const InspectLength length = options.full ? InspectLength::kFull : InspectLength::kShort;
  const std::string report =
      options.json ? inspect_json(*files, chat_template, length) : inspect_text(*files, chat_template, length);
  std::fwrite(report.data(), 1, report.size(), stdout);
  return {};
}

}  // namespace

Command add_inspect(CLI::App* root) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* parser = add_parser(root, "inspect", "Show a model's metadata, tensors, sizes and chat template",
                                "  tribar inspect smollm2\n"
                                "  tribar inspect model.gguf --json | python3 -m json.tool\n");
  parser->add_option("MODEL", options->model, "A model file, a folder, or a name that 'tribar list' shows")->required();
  parser->add_flag("--json", options->json, "One JSON object");
  parser->add_flag("--full", options->full, "Arrays and texts in full length, vocabularies included");
  add_models_folder_option(parser, &options->models_folder);
  return {parser, [options] { return inspect(*options); }};
}

}  // namespace tribar::app
