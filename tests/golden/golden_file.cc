#include "golden/golden_file.h"

#include <unistd.h>

#include <filesystem>

#include "format/gguf/gguf_writer.h"
#include "golden/golden_data.h"
#include "tensor/quant/quant.h"

namespace tribar::golden {
namespace {

namespace fs = std::filesystem;

// A directory that holds a checkpoint with the config.json wanted, as links. Removed when the object goes.
class LinkedCheckpoint {
 public:
  LinkedCheckpoint(const std::string& weights, const std::string& config) {
    static int count = 0;
    path_ = fs::temp_directory_path() / ("tribar_golden_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    fs::create_directories(path_);
    fs::create_symlink(fs::absolute(weights), path_ / "model.safetensors");
    fs::create_symlink(fs::absolute(config), path_ / "config.json");
  }
  ~LinkedCheckpoint() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

std::vector<float> to_floats(const GoldenTensor& tensor) {
  std::vector<float> values(static_cast<size_t>(tensor.elements()));
  quant::dequantize_row(tensor.info.dtype, tensor.bytes.data(), values.data(), tensor.elements());
  return values;
}

void assign(GoldenTensor* tensor, DType type, const std::vector<float>& values) {
  const int64_t rows = tensor->elements() / tensor->cols();
  const int64_t stride = row_bytes(type, tensor->cols()).value();
  tensor->own = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(rows * stride));
  for (int64_t r = 0; r < rows; ++r) {
    quant::quantize_row(type, values.data() + r * tensor->cols(), tensor->own->data() + r * stride, tensor->cols());
  }
  tensor->info.dtype = type;
  tensor->bytes = *tensor->own;
}

}  // namespace

std::string spelling_name(Spelling spelling) {
  switch (spelling) {
    case Spelling::kGguf: return "gguf";
    case Spelling::kConfig: return "safetensors";
    case Spelling::kConfigV4: return "safetensors_v4";
  }
  return "";
}

int64_t GoldenTensor::elements() const {
  int64_t product = 1;
  for (const int64_t size : info.shape) product *= size;
  return product;
}

Result<GoldenFile> GoldenFile::open_path(const std::string& path) {
  GoldenFile file;
  TRIBAR_ASSIGN_OR_RETURN(file.files_, format::open_model_files(path));
  file.style_ =
      file.files_->container() == format::Container::kGguf ? model::NameStyle::kGguf : model::NameStyle::kHuggingFace;
  file.metadata_ = file.files_->metadata();
  for (const auto& [name, entry] : file.files_->weights().entries()) {
    file.tensors_[name] = {{entry.dtype, entry.shape}, entry.bytes, nullptr};
  }
  return file;
}

Result<GoldenFile> GoldenFile::open(const std::string& family, Spelling spelling) {
  if (spelling == Spelling::kGguf) {
    const auto path = golden_path(family, "model.gguf");
    if (!path) return not_found(family + "/model.gguf");
    return open_path(*path);
  }
  const auto weights = golden_path(family, "model.safetensors");
  const auto config = golden_path(family, spelling == Spelling::kConfig ? "config.json" : "config_v4.json");
  if (!weights || !config) return not_found(family + "/model.safetensors");
  return open_path(LinkedCheckpoint(*weights, *config).path());
}

const model::TensorInfo* GoldenFile::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second.info;
}

std::vector<std::string> GoldenFile::names() const {
  std::vector<std::string> all;
  for (const auto& [name, tensor] : tensors_) all.push_back(name);
  return all;
}

void GoldenFile::erase(const std::string& key) {
  format::Metadata kept;
  for (const auto& [name, value] : metadata_.entries()) {
    if (name != key) kept.set(name, value);
  }
  metadata_ = std::move(kept);
}

void GoldenFile::fill(const std::string& name, float value) {
  GoldenTensor& tensor = tensors_.at(name);
  assign(&tensor, tensor.info.dtype, std::vector<float>(static_cast<size_t>(tensor.elements()), value));
}

void GoldenFile::convert(const std::string& name, DType type) {
  GoldenTensor& tensor = tensors_.at(name);
  assign(&tensor, type, to_floats(tensor));
}

Status GoldenFile::write_gguf(const std::string& path) const {
  format::GgufWriter writer;
  for (const auto& [key, value] : metadata_.entries()) writer.set(key, value);
  for (const auto& [name, tensor] : tensors_)
    writer.add_tensor({name, tensor.info.dtype, tensor.info.shape, tensor.bytes});
  return writer.write(path);
}

}  // namespace tribar::golden
