#include "format/gguf/gguf_model.h"

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "format/gguf/gguf_reader.h"
#include "format/printable.h"
#include "format/split_name.h"

namespace tribar::format::gguf {
namespace {

constexpr std::string_view kExtension = ".gguf";

struct OpenedPart {
  MappedFile mapped;
  ParsedFile parsed;
};

Result<OpenedPart> open_part(const std::string& path) {
  TRIBAR_ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::open(path));
  TRIBAR_ASSIGN_OR_RETURN(ParsedFile parsed, parse(mapped.bytes()));
  return OpenedPart{std::move(mapped), std::move(parsed)};
}

class GgufModel : public ModelFiles {
 public:
  Container container() const override { return Container::kGguf; }
  const Metadata& metadata() const override { return metadata_; }
  const WeightIndex& weights() const override { return weights_; }
  const std::vector<FileInfo>& files() const override { return files_; }
  const std::string& side_file(std::string_view) const override {
    static const std::string none;
    return none;
  }
  void drop_pages(std::span<const std::byte> bytes) const override {
    for (const MappedFile& file : mapped_) file.drop_pages(bytes);
  }

  // The first part brings the metadata of the whole model.
  Status add(const std::string& path, OpenedPart part) {
    for (TensorEntry& tensor : part.parsed.tensors) {
      tensor.file = static_cast<int>(files_.size());
      const std::string name = tensor.name;
      if (!weights_.add(std::move(tensor))) return data_loss("the tensor " + in_quotes(name) + " is in two parts");
    }
    if (files_.empty()) metadata_ = std::move(part.parsed.metadata);
    files_.push_back({path, part.mapped.bytes().size()});
    mapped_.push_back(std::move(part.mapped));
    return {};
  }

 private:
  std::vector<MappedFile> mapped_;
  std::vector<FileInfo> files_;
  Metadata metadata_;
  WeightIndex weights_;
};

// That a part is what its name says.
Status check_part(const Metadata& metadata, const SplitName& expected) {
  const std::optional<int64_t> number = metadata.get_int("split.no");
  const std::optional<int64_t> count = metadata.get_int("split.count");
  if (!number || !count || *number != int64_t{expected.number} - 1 || *count != int64_t{expected.count}) {
    return data_loss("is not part " + std::to_string(expected.number) + " of " + std::to_string(expected.count) +
                     " (keys split.no, split.count)");
  }
  return {};
}

Status add_parts(const SplitName& name, GgufModel& model) {
  for (uint32_t number = 1; number <= name.count; ++number) {
    const std::string path = name.part_name(number, kExtension);
    const std::string file = std::filesystem::path(path).filename().string();
    Result<OpenedPart> part = open_part(path);
    if (!part.ok() && part.status().code() == StatusCode::kNotFound) {
      return not_found("part " + std::to_string(number) + " of " + std::to_string(name.count) + " is missing: " + file);
    }
    if (!part.ok()) return part.status().with_context(file);
    SplitName expected = name;
    expected.number = number;
    TRIBAR_RETURN_IF_ERROR(check_part(part->parsed.metadata, expected).with_context(file));
    TRIBAR_RETURN_IF_ERROR(model.add(path, std::move(*part)).with_context(file));
  }
  const std::optional<int64_t> tensors = model.metadata().get_int("split.tensors.count");
  const auto found = static_cast<int64_t>(model.weights().entries().size());
  if (tensors && *tensors != found) {
    return data_loss("the parts hold " + std::to_string(found) + " tensors, not " + std::to_string(*tensors));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<ModelFiles>> open_file(const std::string& path) {
  TRIBAR_ASSIGN_OR_RETURN(OpenedPart only, open_part(path));
  auto model = std::make_unique<GgufModel>();
  if (only.parsed.metadata.get_int("split.count").value_or(1) <= 1) {
    TRIBAR_RETURN_IF_ERROR(model->add(path, std::move(only)));
    return std::unique_ptr<ModelFiles>(std::move(model));
  }
  const std::optional<SplitName> name = parse_split_name(path, kExtension);
  if (!name) {
    return invalid_argument(
        "is one part of a split model, but is not named NAME-00001-of-0000N.gguf, "
        "so that the other parts cannot be found");
  }
  TRIBAR_RETURN_IF_ERROR(add_parts(*name, *model));
  return std::unique_ptr<ModelFiles>(std::move(model));
}

}  // namespace tribar::format::gguf
