// WeightStore: every weight of the graph in the form its kernel reads: packed panels in huge pages, or the file's
// own rows.
//
//   WeightStoreOptions o{isa, precision}; o.source = [&](const std::string& tensor) -> std::optional<SourceTensor>
//   {...};
//   TRIBAR_ASSIGN_OR_RETURN(auto store, WeightStore::load(graph, o, &team));
//
// Packing is lossless and parallel, in slices; after each the caller is told that its source pages are not needed any
// more. Vectors become F32. A matrix is packed for the activations that the graph feeds it (F32 or Q8Act), so the graph
// must be optimised already.
// Errors: kDataLoss for a tensor that is missing or not what the graph expects, and for a NaN or infinity in a vector
// (names the tensor), kResourceExhausted when memory cannot be had, kCancelled when `progress` returns false.
// Threads: immutable after load.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/cpu_features.h"
#include "base/status.h"
#include "base/thread_team.h"
#include "graph/graph.h"
#include "kernel/table.h"

namespace tribar::runtime {

struct SourceTensor {
  std::span<const std::byte> bytes;
  DType dtype = DType::kF32;
  int64_t rows = 0;
  int64_t cols = 0;
};

struct WeightStoreOptions {
  Isa isa = Isa::kReference;
  kernel::Precision precision = kernel::Precision::kFast;
  std::function<std::optional<SourceTensor>(const std::string& tensor)> source;
  // May be null. Called by all members of the team, for source bytes that have been copied.
  std::function<void(std::span<const std::byte>)> drop_pages;
  std::function<bool(double fraction)> progress;  // may be null; on the calling thread; false cancels
};

class WeightStore {
 public:
  virtual ~WeightStore() = default;
  static Result<std::unique_ptr<WeightStore>> load(const graph::Graph& graph, const WeightStoreOptions& options,
                                                   ThreadTeam* team);
  // Bytes that load() will allocate; mapped file pages and scratch of one slice a member are not counted.
  static Result<uint64_t> needed_bytes(const graph::Graph& graph, const WeightStoreOptions& options);

  struct Matrix {
    kernel::WeightView view;
    // Null for an embedding table of file rows; one that is tied to the output matrix is the very same panels.
    const kernel::LinearKernel* kernel = nullptr;
  };
  virtual const Matrix& matrix(int32_t weight) const = 0;           // roles kMatrix, kEmbedding
  virtual std::span<const float> vector(int32_t weight) const = 0;  // role kVector
  virtual uint64_t packed_bytes() const = 0;  // copies; weights that stay in the mapped file are not counted
};

}  // namespace tribar::runtime
