// The options that every command with a model has, and loading it with a progress bar and a warning when it is asked
// for more threads than this process may use.
//
//   add_model_options(parser, &options);   // MODEL --models-dir -t --ctx --precision --act-group --prefetch --eager
//   TRIBAR_ASSIGN_OR_RETURN(auto model, open_model(options.name, load_options(options)));
//
// Errors: as load_model; kCancelled on Ctrl-C while it loads.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "engine/loaded_model.h"

namespace tribar::app {

struct ModelName {
  std::string model;          // as the user wrote it
  std::string models_folder;  // --models-dir
};

// How exact the arithmetic is.
struct PrecisionOptions {
  std::string precision = "fast";
  std::string activation_group = "auto";
};

struct ModelOptions {
  ModelName name;
  int threads = 0;
  int64_t context = 0;
  PrecisionOptions precision;
  bool eager = false;
  std::string prefetch = "auto";
};

// MODEL and --models-dir alone, for commands with their own set of options.
void add_model_name(CLI::App* parser, ModelName* name);
void add_models_folder_option(CLI::App* parser, std::string* folder);
void add_model_options(CLI::App* parser, ModelOptions* options);
void add_prefetch_option(CLI::App* parser, std::string* prefetch);
void add_precision_options(CLI::App* parser, PrecisionOptions* options);

engine::LoadOptions load_options(const ModelOptions& options);
Result<std::unique_ptr<engine::LoadedModel>> open_model(const ModelName& name, engine::LoadOptions options);

}  // namespace tribar::app
