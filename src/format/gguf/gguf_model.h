// Opens a GGUF model: one file, or all parts of a split one (PREFIX-00001-of-00003.gguf, any part given).
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "format/model_files.h"

namespace tribar::format::gguf {

Result<std::unique_ptr<ModelFiles>> open_file(const std::string& path);

}  // namespace tribar::format::gguf
