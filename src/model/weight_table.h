// WeightTable: fetches the weights of a graph from the file's catalog, by role, with every shape checked.
//
//   TRIBAR_ASSIGN_OR_RETURN(ValueId w, weights.matrix({Role::kDown, 3}, hidden, mlp));
//   ...
//   TRIBAR_RETURN_IF_ERROR(weights.check_all_used());
//
// Fused tensors (qkv, gate_up) are cut into row ranges without copying: `rows_of` takes part of a tensor.
// Errors: kDataLoss for a missing tensor or a wrong shape, kUnimplemented for a tensor that nothing reads; names the
// tensor. Threads: one caller.
#pragma once

#include <set>
#include <string>

#include "base/status.h"
#include "graph/builder.h"
#include "model/model.h"
#include "model/tensor_names.h"

namespace tribar::model {

// Part [begin, begin + count) of the rows (elements, for a bias) of a tensor that has `total`.
struct RowRange {
  int64_t begin = 0;
  int64_t count = 0;
  int64_t total = 0;
};
inline RowRange all_rows(int64_t count) { return {0, count, count}; }

class WeightTable {
 public:
  WeightTable(const TensorCatalog& catalog, TensorNames names, graph::Builder* builder)
      : catalog_(catalog), names_(std::move(names)), builder_(builder) {}

  bool has(WeightKey key, std::string_view part = "weight") const { return find(key, part) != nullptr; }
  // Rows of the tensor, -1 if there is none or it is no matrix.
  int64_t matrix_rows(WeightKey key) const;

  Result<graph::ValueId> embedding(WeightKey key, int64_t rows, int64_t cols);
  Result<graph::ValueId> matrix(WeightKey key, int64_t rows, int64_t cols);
  Result<graph::ValueId> vector(WeightKey key, int64_t size);
  Result<graph::ValueId> bias(WeightKey key, int64_t size);
  // The same for part of a fused tensor; `as` names the part.
  Result<graph::ValueId> matrix_part(WeightKey key, RowRange range, int64_t cols, WeightKey as);
  Result<graph::ValueId> bias_part(WeightKey key, RowRange range, WeightKey as);

  // Every tensor of the file was fetched, but for ignorable ones and those whose name begins with one of `skipped`.
  Status check_all_used(std::span<const std::string_view> skipped) const;
  // Elements of all tensors fetched, each counted once.
  int64_t parameters() const;

 private:
  const TensorInfo* find(WeightKey key, std::string_view part) const;
  Result<const TensorInfo*> require(const std::string& name, const std::vector<int64_t>& shape);
  Result<graph::ValueId> add_matrix(WeightKey key, graph::WeightRole role, RowRange range, int64_t cols, WeightKey as);
  Result<graph::ValueId> add_vector(WeightKey key, std::string_view part, RowRange range, WeightKey as);

  const TensorCatalog& catalog_;
  TensorNames names_;
  graph::Builder* builder_;
  std::set<std::string, std::less<>> used_;
};

}  // namespace tribar::model
