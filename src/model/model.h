// build_model: from a model's metadata to its graph. One file a family (llama.cc, gemma.cc, ...), listed in
// registry.cc.
//
//   ModelSource source{&metadata, NameStyle::kGguf, &catalog};
//   TRIBAR_ASSIGN_OR_RETURN(ModelGraph model, build_model(source));
//
// No files, kernels or threads here: tensors are known by name, type and shape only (TensorCatalog). Every
// hyper-parameter is checked before it is used (bounds, divisibility), every tensor's shape against what the
// architecture expects; a switch that the family may carry and Tribar does not honour is refused by name; a tensor of
// the file that nothing reads is refused too, unless the family says that it is to be ignored.
// Errors: kUnimplemented (architecture, switch), kDataLoss (contradiction in the file), one line naming key or tensor.
// Threads: pure function.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "format/metadata.h"
#include "graph/graph.h"
#include "tensor/dtype.h"

namespace tribar::model {

enum class NameStyle : uint8_t { kGguf, kHuggingFace };

struct TensorInfo {
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;  // outermost first
};

class TensorCatalog {
 public:
  virtual ~TensorCatalog() = default;
  virtual const TensorInfo* find(std::string_view name) const = 0;
  virtual std::vector<std::string> names() const = 0;
};

struct ModelSource {
  const format::Metadata* metadata = nullptr;
  NameStyle names = NameStyle::kGguf;
  const TensorCatalog* catalog = nullptr;
};

struct ModelInfo {
  std::string family;  // "llama", "qwen2", ...
  int64_t vocab_size = 0;
  int64_t context_length = 0;  // what the model was made for
  int64_t hidden_size = 0;
  int64_t layers = 0;
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t parameters = 0;  // number of weights, embeddings included
  // A sequence that grows past this length must be computed again from its first token (longrope); 0: never.
  int64_t recompute_length = 0;
};

struct ModelGraph {
  graph::Graph graph;
  ModelInfo info;
};

Result<ModelGraph> build_model(const ModelSource& source);

// Names of all families, for help texts and errors.
std::vector<std::string> model_families();

}  // namespace tribar::model
