#include "runtime/linear_work.h"

namespace tribar::runtime {

int64_t stored_bytes(const WeightStore::Matrix& matrix) {
  const kernel::WeightView& view = matrix.view;
  if (matrix.kernel->panel_rows > 0) return matrix.kernel->packed_bytes(view.rows, view.cols);
  return view.rows * row_bytes(view.dtype, view.cols).value_or(0);
}

LinearWork linear_work(const graph::Graph& graph, const WeightStore& store) {
  LinearWork work;
  for (const graph::Node& node : graph.nodes) {
    if (node.op != graph::OpKind::kLinear) continue;
    const WeightStore::Matrix& matrix = store.matrix(graph.value(node.inputs[1]).weight);
    if (matrix.kernel == nullptr) continue;
    work.weight_bytes += stored_bytes(matrix);
    const bool for_logits = graph.value(node.inputs[0]).shape.rows == graph::RowSymbol::kLogitRows;
    (for_logits ? work.macs_per_logit_row : work.macs_per_token) += matrix.view.rows * matrix.view.cols;
  }
  return work;
}

}  // namespace tribar::runtime
