#include "app/model_options.h"

#include <utility>

#include "app/interrupt.h"
#include "app/model_path.h"
#include "app/progress_bar.h"
#include "app/thread_warning.h"

namespace tribar::app {

void add_models_folder_option(CLI::App* parser, std::string* folder) {
  parser->add_option("--models-dir", *folder, "Where to look for names, instead of $TRIBAR_MODELS")->type_name("DIR");
}

void add_model_name(CLI::App* parser, ModelName* name) {
  parser->add_option("MODEL", name->model, "A model file, a folder, or a name that 'tribar list' shows")->required();
  add_models_folder_option(parser, &name->models_folder);
}

void add_precision_options(CLI::App* parser, PrecisionOptions* options) {
  parser
      ->add_option("--precision", options->precision,
                   "fast (quantised activations where the weights are quantised) or fp32 (exact: dequantised weights, "
                   "everything else in fp32)")
      ->check(CLI::IsMember({"fast", "fp32"}))
      ->type_name("MODE")
      ->capture_default_str();
  parser
      ->add_option("--act-group", options->activation_group,
                   "Columns that share a scale in quantised activations: 32, 128 (faster, less exact), or auto: 128 in "
                   "the layers where a short text, run at load, shows that it costs no accuracy")
      ->check(CLI::IsMember({"auto", "32", "128"}))
      ->type_name("N")
      ->capture_default_str();
}

void add_prefetch_option(CLI::App* parser, std::string* prefetch) {
  parser
      ->add_option("--prefetch", *prefetch,
                   "Bytes of weights to fetch ahead of the arithmetic (0: none), or auto: measured at load. Changes "
                   "speed only")
      ->check(CLI::IsMember({"auto"}) | CLI::Range(0, 1 << 20))
      ->type_name("BYTES")
      ->capture_default_str();
}

void add_model_options(CLI::App* parser, ModelOptions* options) {
  add_model_name(parser, &options->name);
  parser->add_option("-t,--threads", options->threads, "Threads; 0 takes all that this process may use")
      ->check(CLI::Range(0, 1024))
      ->type_name("N")
      ->capture_default_str();
  parser->add_option("-c,--ctx", options->context, "Context in tokens; 0 takes the model's, at most 4096")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 24))
      ->type_name("N")
      ->capture_default_str();
  add_precision_options(parser, &options->precision);
  add_prefetch_option(parser, &options->prefetch);
  parser->add_flag("--eager", options->eager, "Walk the graph node by node instead of replaying a captured plan");
}

engine::LoadOptions load_options(const ModelOptions& options) {
  engine::LoadOptions load;
  const PrecisionOptions& precision = options.precision;
  load.precision = precision.precision == "fp32" ? kernel::Precision::kExact : kernel::Precision::kFast;
  load.mode = options.eager ? runtime::ExecutionMode::kEager : runtime::ExecutionMode::kPlanned;
  if (precision.activation_group != "auto") load.activation_group = std::stoi(precision.activation_group);
  if (options.prefetch != "auto") load.prefetch_bytes = std::stoll(options.prefetch);
  load.threads = options.threads;
  load.context_tokens = options.context;
  return load;
}

Result<std::unique_ptr<engine::LoadedModel>> open_model(const ModelName& name, engine::LoadOptions options) {
  TRIBAR_ASSIGN_OR_RETURN(const std::string path, resolve_model(name.model, model_folders(name.models_folder)));
  warn_of_threads(options.threads);
  ProgressBar bar("loading");
  options.progress = [&bar](double fraction) {
    bar.update(fraction);
    return !interrupted();
  };
  Result<std::unique_ptr<engine::LoadedModel>> loaded = engine::load_model(path, options);
  if (interrupted()) return interrupted_status();
  return loaded;
}

}  // namespace tribar::app
