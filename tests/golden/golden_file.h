// GoldenFile: a tiny model in memory, whose metadata and weights a test can change before it is run or written.
//
//   TRIBAR_ASSIGN_OR_RETURN(GoldenFile file, GoldenFile::open("llama", Spelling::kGguf));
//   file.erase("llama.attention.sliding_window");
//   file.fill("blk.0.attn_q.bias", 0.0f);
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "format/model_files.h"
#include "model/model.h"

namespace tribar::golden {

// The container, and for a checkpoint which config.json.
enum class Spelling { kGguf, kConfig, kConfigV4 };
std::string spelling_name(Spelling spelling);

struct GoldenTensor {
  model::TensorInfo info;
  std::span<const std::byte> bytes;  // of the mapped file, or of `own`
  std::shared_ptr<std::vector<std::byte>> own;

  int64_t cols() const { return info.shape.empty() ? 1 : info.shape.back(); }
  int64_t elements() const;
};

class GoldenFile : public model::TensorCatalog {
 public:
  // kNotFound if the files are not here.
  static Result<GoldenFile> open(const std::string& family, Spelling spelling);
  // Any model file or directory.
  static Result<GoldenFile> open_path(const std::string& path);

  model::ModelSource source() const { return {&metadata_, style_, this}; }
  const model::TensorInfo* find(std::string_view name) const override;
  std::vector<std::string> names() const override;

  const std::map<std::string, GoldenTensor, std::less<>>& tensors() const { return tensors_; }
  const format::Metadata& metadata() const { return metadata_; }

  void set(const std::string& key, format::MetaValue value) { metadata_.set(key, std::move(value)); }
  void erase(const std::string& key);
  // All elements of a tensor become `value`.
  void fill(const std::string& name, float value);
  // The tensor in another type, by way of F32.
  void convert(const std::string& name, DType type);

  Status write_gguf(const std::string& path) const;

 private:
  std::shared_ptr<format::ModelFiles> files_;  // keeps the mapping alive
  model::NameStyle style_ = model::NameStyle::kGguf;
  format::Metadata metadata_;
  std::map<std::string, GoldenTensor, std::less<>> tensors_;
};

}  // namespace tribar::golden
