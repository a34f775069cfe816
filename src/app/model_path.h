// From what a user types to a model on disk: a path as it is, otherwise a name in the model folders.
//
//   TRIBAR_ASSIGN_OR_RETURN(std::string path, resolve_model("smollm2", model_folders("")));
//
// Folders, in order: the one given (--models-dir), else $TRIBAR_MODELS (several with ':'), else
// ${XDG_DATA_HOME:-~/.local/share}/tribar/models. A name is a file's without .gguf (a split model's without the part),
// or a directory's with config.json; capitals do not matter, and the beginning of exactly one name stands for it.
// Errors: kNotFound with the closest names, kInvalidArgument when a beginning fits several.
// Threads: reads the environment and directories; no state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace tribar::app {

struct ListedModel {
  std::string name;
  std::string path;
  uint64_t size_bytes = 0;  // of all files of weights
};

// `given` is the value of --models-dir, empty if there was none.
std::vector<std::string> model_folders(const std::string& given);

// Sorted by name; a name in an earlier folder hides the same one in a later.
std::vector<ListedModel> list_models(const std::vector<std::string>& folders);

// The path to open.
Result<std::string> resolve_model(const std::string& model, const std::vector<std::string>& folders);

}  // namespace tribar::app
