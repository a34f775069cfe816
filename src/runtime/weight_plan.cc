#include "runtime/weight_plan.h"

#include <algorithm>
#include <string>

#include "base/checked_int.h"

namespace tribar::runtime {
namespace {

using graph::WeightRole;
using graph::WeightSpec;

constexpr int64_t kAlignment = 64;

// Kernels read F32 weights through float pointers; everything else lies at any address.
constexpr uintptr_t kMappedAlignment = alignof(float);

// What the linear layers that read a weight feed it with.
std::vector<DType> activation_types(const graph::Graph& graph) {
  std::vector<DType> types(graph.weights.size(), DType::kF32);
  for (const graph::Node& node : graph.nodes) {
    if (node.op != graph::OpKind::kLinear) continue;
    types[static_cast<size_t>(graph.value(node.inputs[1]).weight)] = graph.value(node.inputs[0]).dtype;
  }
  return types;
}

Status wrong(const WeightSpec& spec, const std::string& tensor, const char* what) {
  return data_loss("tensor " + tensor + " (for " + spec.name + "): " + what);
}

Result<std::span<const std::byte>> piece_bytes(const WeightSpec& spec, const graph::WeightPiece& piece,
                                               const WeightStoreOptions& options) {
  const std::optional<SourceTensor> source = options.source(piece.tensor);
  if (!source) return wrong(spec, piece.tensor, "is missing");
  if (source->dtype != spec.dtype) return wrong(spec, piece.tensor, "has another type than the graph expects");
  const bool vector = spec.role == WeightRole::kVector;
  const int64_t cols = vector ? 1 : source->cols;
  const int64_t rows = vector ? source->rows * source->cols : source->rows;
  if (!vector && cols != spec.cols) return wrong(spec, piece.tensor, "has another number of columns");
  const std::optional<int64_t> end = checked_add(piece.row_begin, piece.row_count);
  if (piece.row_begin < 0 || !end || *end > rows)
    return wrong(spec, piece.tensor, "has fewer rows than the graph expects");
  const std::optional<int64_t> stride = row_bytes(spec.dtype, cols);
  if (!stride) return wrong(spec, piece.tensor, "rows are no whole number of blocks");
  if (static_cast<uint64_t>(rows * *stride) > source->bytes.size()) return wrong(spec, piece.tensor, "is cut short");
  return source->bytes.subspan(static_cast<size_t>(piece.row_begin * *stride),
                               static_cast<size_t>(piece.row_count * *stride));
}

Status choose_kernel(PlannedWeight* weight, DType activation, const WeightStoreOptions& options) {
  const DType dtype = weight->spec->dtype;
  weight->kernel = kernel::find_linear(options.isa, dtype, options.precision);
  if (weight->kernel != nullptr && weight->kernel->activation != activation) {
    weight->kernel = kernel::find_linear(options.isa, dtype, kernel::Precision::kExact);
  }
  if (weight->kernel != nullptr && weight->kernel->activation == activation) return {};
  return unimplemented("no linear kernel for " + std::string(dtype_name(dtype)) + " weights and " +
                       std::string(dtype_name(activation)) + " activations (" + weight->spec->name + ")");
}

Status place(PlannedWeight* weight, WeightPlan* plan) {
  const WeightSpec& spec = *weight->spec;
  if (spec.role == WeightRole::kVector) {
    weight->offset_bytes = plan->vector_floats;
    plan->vector_floats += (spec.cols + 15) / 16 * 16;
    return {};
  }
  weight->mapped = !weight->packs() && weight->pieces.size() == 1 &&
                   reinterpret_cast<uintptr_t>(weight->pieces[0].data()) % kMappedAlignment == 0;
  if (weight->mapped) return {};
  weight->size_bytes = weight->packs() ? weight->kernel->packed_bytes(spec.rows, spec.cols) : weight->source_bytes();
  weight->offset_bytes = plan->packed_bytes;
  const std::optional<int64_t> end = checked_add(plan->packed_bytes, weight->size_bytes);
  const std::optional<uint64_t> aligned =
      end ? checked_align_up(static_cast<uint64_t>(*end), kAlignment) : std::nullopt;
  if (!aligned) return resource_exhausted("the packed weights are larger than memory");
  plan->packed_bytes = static_cast<int64_t>(*aligned);
  return {};
}

bool same_source(const PlannedWeight& a, const PlannedWeight& b) {
  return a.spec->dtype == b.spec->dtype && a.spec->rows == b.spec->rows && a.spec->cols == b.spec->cols &&
         std::ranges::equal(a.pieces, b.pieces,
                            [](const auto& x, const auto& y) { return x.data() == y.data() && x.size() == y.size(); });
}

// The matrix in whose panels `table` is stored, null if there is none.
const PlannedWeight* tied_matrix(const PlannedWeight& table, const std::vector<PlannedWeight>& weights) {
  const auto found = std::ranges::find_if(weights, [&](const PlannedWeight& w) {
    return w.spec->role == WeightRole::kMatrix && w.packs() && w.kernel->unpack_row != nullptr && same_source(w, table);
  });
  return found == weights.end() ? nullptr : &*found;
}

}  // namespace

int64_t PlannedWeight::source_bytes() const {
  int64_t total = 0;
  for (const auto& piece : pieces) total += static_cast<int64_t>(piece.size());
  return total;
}

Result<WeightPlan> plan_weights(const graph::Graph& graph, const WeightStoreOptions& options) {
  const std::vector<DType> activations = activation_types(graph);
  WeightPlan plan;
  for (size_t i = 0; i < graph.weights.size(); ++i) {
    PlannedWeight weight;
    weight.spec = &graph.weights[i];
    for (const graph::WeightPiece& piece : weight.spec->pieces) {
      TRIBAR_ASSIGN_OR_RETURN(const std::span<const std::byte> bytes, piece_bytes(*weight.spec, piece, options));
      weight.pieces.push_back(bytes);
    }
    if (weight.spec->role == WeightRole::kMatrix) {
      TRIBAR_RETURN_IF_ERROR(choose_kernel(&weight, activations[i], options));
    }
    plan.weights.push_back(std::move(weight));
  }
  for (PlannedWeight& weight : plan.weights) {
    weight.shared = weight.spec->role == WeightRole::kEmbedding && tied_matrix(weight, plan.weights) != nullptr;
    if (!weight.shared) TRIBAR_RETURN_IF_ERROR(place(&weight, &plan));
  }
  for (PlannedWeight& weight : plan.weights) {
    if (!weight.shared) continue;
    const PlannedWeight& matrix = *tied_matrix(weight, plan.weights);
    weight.kernel = matrix.kernel;
    weight.offset_bytes = matrix.offset_bytes;
  }
  return plan;
}

}  // namespace tribar::runtime
