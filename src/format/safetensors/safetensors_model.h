// Opens a model of safetensors files: weights, config.json, generation_config.json and the tokenizer's files.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "format/model_files.h"

namespace tribar::format::safetensors {

Result<std::unique_ptr<ModelFiles>> open_directory(const std::string& directory);
// One file with its whole model in it, config.json beside it; a shard opens its directory.
Result<std::unique_ptr<ModelFiles>> open_file(const std::string& path);

}  // namespace tribar::format::safetensors
